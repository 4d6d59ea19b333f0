import type { Caller, CallOptions } from '../caller.ts';
import { array, flag, int, nothing, optional, quantity, signedQuantity, string, struct, uint } from '../codec.ts';
import { blockJobTypes, nameOf } from '../names.ts';
import { procedure } from '../protocol.ts';
import { type TypedParameter, type TypedParameters, typedParameterList, typedParameters } from '../typedParameters.ts';
import { type DomainRef, domain } from '../types.ts';

const xmlAndFlags = struct({ domain, xml: string, flags: uint });
const diskAndFlags = struct({ domain, disk: string, flags: uint });

const attach = procedure('domainAttachDeviceFlags', xmlAndFlags, nothing);
const detach = procedure('domainDetachDeviceFlags', xmlAndFlags, nothing);
const update = procedure('domainUpdateDeviceFlags', xmlAndFlags, nothing);
const detachAlias = procedure('domainDetachDeviceAlias', struct({ domain, alias: string, flags: uint }), nothing);
const getBlockInfo = procedure(
  'domainGetBlockInfo',
  diskAndFlags,
  struct({ allocationBytes: quantity, capacityBytes: quantity, physicalBytes: quantity }),
);
const getBlockStats = procedure(
  'domainBlockStats',
  struct({ domain, disk: string }),
  struct({
    readRequests: signedQuantity,
    readBytes: signedQuantity,
    writeRequests: signedQuantity,
    writtenBytes: signedQuantity,
    errors: signedQuantity,
  }),
);
const getInterfaceStats = procedure(
  'domainInterfaceStats',
  struct({ domain, device: string }),
  struct({
    receivedBytes: signedQuantity,
    receivedPackets: signedQuantity,
    receiveErrors: signedQuantity,
    receiveDrops: signedQuantity,
    sentBytes: signedQuantity,
    sentPackets: signedQuantity,
    sendErrors: signedQuantity,
    sendDrops: signedQuantity,
  }),
);
const resizeBlock = procedure(
  'domainBlockResize',
  struct({ domain, disk: string, size: quantity, flags: uint }),
  nothing,
);
const setIoTune = procedure(
  'domainSetBlockIoTune',
  struct({ domain, disk: string, parameters: typedParameterList(32), flags: uint }),
  nothing,
);
const getIoTune = procedure(
  'domainGetBlockIoTune',
  struct({ domain, disk: optional(string), count: int, flags: uint }),
  struct({ parameters: typedParameters(32), count: int }),
);
const getDiskErrors = procedure(
  'domainGetDiskErrors',
  struct({ domain, max: uint, flags: uint }),
  struct({ errors: array(struct({ disk: string, error: int }), 256), count: int }),
);
const commit = procedure(
  'domainBlockCommit',
  struct({
    domain,
    disk: string,
    base: optional(string),
    top: optional(string),
    bandwidth: quantity,
    flags: uint,
  }),
  nothing,
);
const copy = procedure(
  'domainBlockCopy',
  struct({ domain, disk: string, destinationXml: string, parameters: typedParameterList(16), flags: uint }),
  nothing,
);
const abortJob = procedure('domainBlockJobAbort', diskAndFlags, nothing);
const getJobInfo = procedure(
  'domainGetBlockJobInfo',
  diskAndFlags,
  struct({ found: flag, type: int, bandwidth: quantity, current: quantity, end: quantity }),
);

/** How far a block job is; it is ready to pivot, or done, when `current` equals `end`. */
export interface BlockJobInfo {
  readonly type: string;
  readonly bandwidth: number;
  readonly current: number;
  readonly end: number;
}

/** Calls about devices. A disk is named by its target (`vda`) or its file. */
export const deviceCalls = (caller: Caller) => ({
  attachDevice: (domain: DomainRef, xml: string, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(attach, { domain, xml, flags }, options),

  /** The device is gone only when `deviceRemoved` comes; a guest may refuse (`deviceRemovalFailed`). */
  detachDevice: (domain: DomainRef, xml: string, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(detach, { domain, xml, flags }, options),

  /** As `detachDevice`, but by the device's alias. Returns before the guest has let go. */
  detachDeviceByAlias: (domain: DomainRef, alias: string, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(detachAlias, { domain, alias, flags }, options),

  /** Changes a device, such as the medium of a CD-ROM drive. */
  updateDevice: (domain: DomainRef, xml: string, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(update, { domain, xml, flags }, options),

  blockInfo: (domain: DomainRef, disk: string, options?: CallOptions) =>
    caller.call(getBlockInfo, { domain, disk, flags: 0 }, options),

  /** An empty name asks for the sum of all disks. What the hypervisor does not count is -1. */
  blockStats: (domain: DomainRef, disk = '', options?: CallOptions) =>
    caller.call(getBlockStats, { domain, disk }, options),

  /** What the hypervisor does not count is -1. */
  interfaceStats: (domain: DomainRef, device: string, options?: CallOptions) =>
    caller.call(getInterfaceStats, { domain, device }, options),

  resizeBlock: (domain: DomainRef, disk: string, sizeBytes: number, options?: CallOptions): Promise<void> =>
    caller.call(resizeBlock, { domain, disk, size: sizeBytes, flags: resizeInBytes }, options),

  setBlockIoTune: (
    domain: DomainRef,
    disk: string,
    parameters: readonly TypedParameter[],
    flags = 0,
    options?: CallOptions,
  ): Promise<void> => caller.call(setIoTune, { domain, disk, parameters, flags }, options),

  blockIoTune: async (domain: DomainRef, disk: string, flags = 0, options?: CallOptions): Promise<TypedParameters> => {
    const asked = { domain, disk, flags: flags | typedStringsAreFine };
    const { count } = await caller.call(getIoTune, { ...asked, count: 0 }, options);
    return (await caller.call(getIoTune, { ...asked, count }, options)).parameters;
  },

  /** Disks on which the guest had I/O errors. */
  diskErrors: async (domain: DomainRef, options?: CallOptions): Promise<{ disk: string; error: string }[]> => {
    const { errors } = await caller.call(getDiskErrors, { domain, max: 256, flags: 0 }, options);
    return errors.map(({ disk, error }) => ({ disk, error: nameOf(['none', 'unspecified', 'no-space'], error) }));
  },

  /** Merges overlay files downwards; without `base` and `top`, as far as `flags` say. */
  blockCommit: (
    domain: DomainRef,
    disk: string,
    range: { base?: string; top?: string; bandwidth?: number } = {},
    flags = 0,
    options?: CallOptions,
  ): Promise<void> => {
    const { base, top, bandwidth = 0 } = range;
    return caller.call(commit, { domain, disk, base, top, bandwidth, flags }, options);
  },

  /** Mirrors a disk to the `<disk>` described in XML. */
  blockCopy: (
    domain: DomainRef,
    disk: string,
    destinationXml: string,
    parameters: readonly TypedParameter[] = [],
    flags = 0,
    options?: CallOptions,
  ): Promise<void> => caller.call(copy, { domain, disk, destinationXml, parameters, flags }, options),

  /** Ends a block job; with `BlockJobAbortFlags.PIVOT` a mirror becomes the disk. */
  abortBlockJob: (domain: DomainRef, disk: string, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(abortJob, { domain, disk, flags }, options),

  /** undefined when the disk has no job. */
  blockJobInfo: async (domain: DomainRef, disk: string, options?: CallOptions): Promise<BlockJobInfo | undefined> => {
    const { found, type, ...progress } = await caller.call(getJobInfo, { domain, disk, flags: 0 }, options);
    return found ? { type: nameOf(blockJobTypes, type), ...progress } : undefined;
  },
});

/** Sizes are in KiB without this flag. */
const resizeInBytes = 1;

/** Without this flag libvirt leaves out parameters that are strings, for the sake of very old clients. */
const typedStringsAreFine = 4;

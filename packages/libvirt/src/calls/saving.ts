import type { Caller, CallOptions } from '../caller.ts';
import { array, flag, int, nothing, optional, string, struct, uint } from '../codec.ts';
import { procedure } from '../protocol.ts';
import { type DomainRef, domain, type SnapshotRef, snapshot } from '../types.ts';

const domainAndFlags = struct({ domain, flags: uint });
const snapshotAndFlags = struct({ snapshot, flags: uint });
const oneSnapshot = struct({ snapshot });

const managedSave = procedure('domainManagedSave', domainAndFlags, nothing);
const hasManagedSave = procedure('domainHasManagedSaveImage', domainAndFlags, struct({ has: flag }));
const removeManagedSave = procedure('domainManagedSaveRemove', domainAndFlags, nothing);
const save = procedure(
  'domainSaveFlags',
  struct({ domain, file: string, xml: optional(string), flags: uint }),
  nothing,
);
const restore = procedure('domainRestoreFlags', struct({ file: string, xml: optional(string), flags: uint }), nothing);
const saveImageXml = procedure(
  'domainSaveImageGetXmlDesc',
  struct({ file: string, flags: uint }),
  struct({ xml: string }),
);
const coreDump = procedure(
  'domainCoreDumpWithFormat',
  struct({ domain, file: string, format: uint, flags: uint }),
  nothing,
);
const createSnapshot = procedure('domainSnapshotCreateXml', struct({ domain, xml: string, flags: uint }), oneSnapshot);
const listSnapshots = procedure(
  'domainListAllSnapshots',
  struct({ domain, needResults: int, flags: uint }),
  struct({ snapshots: array(snapshot, 16_384), count: int }),
);
const lookupSnapshot = procedure(
  'domainSnapshotLookupByName',
  struct({ domain, name: string, flags: uint }),
  oneSnapshot,
);
const snapshotXml = procedure('domainSnapshotGetXmlDesc', snapshotAndFlags, struct({ xml: string }));
const revert = procedure('domainRevertToSnapshot', snapshotAndFlags, nothing);
const deleteSnapshot = procedure('domainSnapshotDelete', snapshotAndFlags, nothing);
const backupBegin = procedure(
  'domainBackupBegin',
  struct({ domain, xml: string, checkpointXml: optional(string), flags: uint }),
  nothing,
);

/** Formats of memory dumps. */
const dumpFormats = ['raw', 'kdump-zlib', 'kdump-lzo', 'kdump-snappy', 'win-dmp'] as const;

/** Calls that write a domain's memory or disks away and bring them back. Most are long: use `client.long`. */
export const savingCalls = (caller: Caller) => ({
  /** Saves the memory where libvirt finds it at the next start. */
  managedSave: (domain: DomainRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(managedSave, { domain, flags }, options),

  hasManagedSave: async (domain: DomainRef, options?: CallOptions): Promise<boolean> =>
    (await caller.call(hasManagedSave, { domain, flags: 0 }, options)).has,

  removeManagedSave: (domain: DomainRef, options?: CallOptions): Promise<void> =>
    caller.call(removeManagedSave, { domain, flags: 0 }, options),

  /** Saves the memory to a file and stops the domain. `xml` replaces what is used at restore. */
  saveDomain: (
    domain: DomainRef,
    file: string,
    { xml, flags = 0 }: { xml?: string; flags?: number } = {},
    options?: CallOptions,
  ): Promise<void> => caller.call(save, { domain, file, xml, flags }, options),

  restoreDomain: (
    file: string,
    { xml, flags = 0 }: { xml?: string; flags?: number } = {},
    options?: CallOptions,
  ): Promise<void> => caller.call(restore, { file, xml, flags }, options),

  /** The domain in a file that `saveDomain` wrote, as XML. */
  saveImageXml: async (file: string, options?: CallOptions): Promise<string> =>
    (await caller.call(saveImageXml, { file, flags: 0 }, options)).xml,

  coreDump: (
    domain: DomainRef,
    file: string,
    { format = 'raw', flags = 0 }: { format?: (typeof dumpFormats)[number]; flags?: number } = {},
    options?: CallOptions,
  ): Promise<void> => caller.call(coreDump, { domain, file, format: dumpFormats.indexOf(format), flags }, options),

  createSnapshot: async (domain: DomainRef, xml: string, flags = 0, options?: CallOptions): Promise<SnapshotRef> =>
    (await caller.call(createSnapshot, { domain, xml, flags }, options)).snapshot,

  listSnapshots: async (domain: DomainRef, flags = 0, options?: CallOptions): Promise<SnapshotRef[]> =>
    (await caller.call(listSnapshots, { domain, needResults: 1, flags }, options)).snapshots,

  /** Fails with `NO_DOMAIN_SNAPSHOT` when there is none. */
  snapshotByName: async (domain: DomainRef, name: string, options?: CallOptions): Promise<SnapshotRef> =>
    (await caller.call(lookupSnapshot, { domain, name, flags: 0 }, options)).snapshot,

  snapshotXml: async (snapshot: SnapshotRef, options?: CallOptions): Promise<string> =>
    (await caller.call(snapshotXml, { snapshot, flags: 0 }, options)).xml,

  revertToSnapshot: (snapshot: SnapshotRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(revert, { snapshot, flags }, options),

  deleteSnapshot: (snapshot: SnapshotRef, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(deleteSnapshot, { snapshot, flags }, options),

  /** Starts a backup as described in XML; `jobCompleted` tells when it is done. */
  beginBackup: (
    domain: DomainRef,
    xml: string,
    { checkpointXml, flags = 0 }: { checkpointXml?: string; flags?: number } = {},
    options?: CallOptions,
  ): Promise<void> => caller.call(backupBegin, { domain, xml, checkpointXml, flags }, options),
});

import type { Caller, CallOptions } from '../caller.ts';
import { array, type Codec, int, nothing, optional, quantity, string, struct, uhyper, uint } from '../codec.ts';
import { procedure } from '../protocol.ts';

/** A version that libvirt packs into one number: 9000000 is 9.0.0. */
export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly release: number;
}

/** Fixed text of C characters, each of which takes four bytes on the wire. */
const characters = (length: number): Codec<string> => ({
  write: (writer, value) => {
    for (let index = 0; index < length; index += 1) writer.int(value.charCodeAt(index) || 0);
  },
  read: (reader) => {
    const codes = Array.from({ length }, () => reader.int());
    const end = codes.indexOf(0);
    return String.fromCharCode(...codes.slice(0, end === -1 ? length : end));
  },
});

const getType = procedure('connectGetType', nothing, struct({ type: string }));
const getVersion = procedure('connectGetVersion', nothing, struct({ version: uhyper }));
const getLibVersion = procedure('connectGetLibVersion', nothing, struct({ version: uhyper }));
const getHostname = procedure('connectGetHostname', nothing, struct({ hostname: string }));
const getUri = procedure('connectGetUri', nothing, struct({ uri: string }));
const getCapabilities = procedure('connectGetCapabilities', nothing, struct({ xml: string }));
const getSysinfo = procedure('connectGetSysinfo', struct({ flags: uint }), struct({ xml: string }));
const getFreeMemory = procedure('nodeGetFreeMemory', nothing, struct({ bytes: quantity }));
const getMemoryStats = procedure(
  'nodeGetMemoryStats',
  struct({ count: int, cell: int, flags: uint }),
  struct({ stats: array(struct({ field: string, value: quantity }), 16), count: int }),
);
const getNodeInfo = procedure(
  'nodeGetInfo',
  nothing,
  struct({
    model: characters(32),
    memoryKiB: quantity,
    cpus: int,
    mhz: int,
    numaNodes: int,
    sockets: int,
    cores: int,
    threads: int,
  }),
);
const emulator = {
  emulator: optional(string),
  arch: optional(string),
  machine: optional(string),
  virtType: optional(string),
};
const getDomainCapabilities = procedure(
  'connectGetDomainCapabilities',
  struct({ ...emulator, flags: uint }),
  struct({ xml: string }),
);
const getCpuModelNames = procedure(
  'connectGetCpuModelNames',
  struct({ arch: string, needResults: int, flags: uint }),
  struct({ models: array(string, 8192), count: int }),
);
const compareCpu = procedure('connectCompareCpu', struct({ xml: string, flags: uint }), struct({ result: int }));
const baselineHypervisorCpu = procedure(
  'connectBaselineHypervisorCpu',
  struct({ ...emulator, cpus: array(string, 256), flags: uint }),
  struct({ cpu: string }),
);
const toNative = procedure(
  'connectDomainXmlToNative',
  struct({ format: string, xml: string, flags: uint }),
  struct({ config: string }),
);

/** Which emulator domain capabilities are asked for; what is not given is the driver's default. */
export interface EmulatorChoice {
  readonly emulator?: string;
  readonly arch?: string;
  readonly machine?: string;
  readonly virtType?: string;
}

/** Calls about the daemon and the host it runs on. */
export const hostCalls = (caller: Caller) => ({
  /** The driver's name, such as `QEMU`. */
  hypervisorType: async (options?: CallOptions): Promise<string> =>
    (await caller.call(getType, undefined, options)).type,

  /** libvirt's version. */
  version: async (options?: CallOptions): Promise<Version> =>
    unpackVersion((await caller.call(getLibVersion, undefined, options)).version),

  /** The hypervisor's version. */
  hypervisorVersion: async (options?: CallOptions): Promise<Version> =>
    unpackVersion((await caller.call(getVersion, undefined, options)).version),

  hostname: async (options?: CallOptions): Promise<string> =>
    (await caller.call(getHostname, undefined, options)).hostname,

  uri: async (options?: CallOptions): Promise<string> => (await caller.call(getUri, undefined, options)).uri,

  /** What the host can do, as XML. */
  capabilities: async (options?: CallOptions): Promise<string> =>
    (await caller.call(getCapabilities, undefined, options)).xml,

  /** What guests can have on one emulator and machine type, as XML. */
  domainCapabilities: async (choice: EmulatorChoice = {}, flags = 0, options?: CallOptions): Promise<string> => {
    const { emulator, arch, machine, virtType } = choice;
    return (await caller.call(getDomainCapabilities, { emulator, arch, machine, virtType, flags }, options)).xml;
  },

  /** The host's SMBIOS information, as XML. */
  sysinfo: async (options?: CallOptions): Promise<string> => (await caller.call(getSysinfo, { flags: 0 }, options)).xml,

  nodeInfo: (options?: CallOptions) => caller.call(getNodeInfo, undefined, options),

  freeMemoryBytes: async (options?: CallOptions): Promise<number> =>
    (await caller.call(getFreeMemory, undefined, options)).bytes,

  /** `total`, `free`, `buffers` and `cached` of the whole host, in KiB. */
  nodeMemoryStats: async (options?: CallOptions): Promise<Record<string, number>> => {
    const all = { cell: -1, flags: 0 };
    const { count } = await caller.call(getMemoryStats, { count: 0, ...all }, options);
    const { stats } = await caller.call(getMemoryStats, { count, ...all }, options);
    return Object.fromEntries(stats.map(({ field, value }) => [field, value]));
  },

  /** CPU models that libvirt knows for an architecture, such as `x86_64`. */
  cpuModels: async (arch: string, options?: CallOptions): Promise<string[]> =>
    (await caller.call(getCpuModelNames, { arch, needResults: 1, flags: 0 }, options)).models,

  /** How the host's CPU compares to one described in XML. */
  compareCpu: async (
    xml: string,
    flags = 0,
    options?: CallOptions,
  ): Promise<'incompatible' | 'identical' | 'superset'> => {
    const { result } = await caller.call(compareCpu, { xml, flags }, options);
    return result === 1 ? 'identical' : result === 2 ? 'superset' : 'incompatible';
  },

  /** The richest CPU that an emulator can give guests out of those described in XML. `flags` of 1 names every feature. */
  baselineHypervisorCpu: async (
    cpus: readonly string[],
    choice: EmulatorChoice = {},
    flags = 0,
    options?: CallOptions,
  ): Promise<string> => {
    const { emulator, arch, machine, virtType } = choice;
    const args = { emulator, arch, machine, virtType, cpus: [...cpus], flags };
    return (await caller.call(baselineHypervisorCpu, args, options)).cpu;
  },

  /** The command line that a domain would be run with; nothing is started. */
  domainXmlToNative: async (xml: string, format = 'qemu-argv', options?: CallOptions): Promise<string> =>
    (await caller.call(toNative, { format, xml, flags: 0 }, options)).config,
});

export function unpackVersion(packed: bigint): Version {
  const number = Number(packed);
  return {
    major: Math.floor(number / 1_000_000),
    minor: Math.floor(number / 1_000) % 1_000,
    release: number % 1_000,
  };
}

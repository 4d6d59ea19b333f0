import type { Caller, CallOptions } from '../caller.ts';
import { array, int, nothing, quantity, struct, uint } from '../codec.ts';
import { memoryStatTags } from '../names.ts';
import { procedure } from '../protocol.ts';
import { type TypedParameters, typedParameters } from '../typedParameters.ts';
import { type DomainRef, domain, domains, maxDomainRecords } from '../types.ts';

const setMemory = procedure('domainSetMemoryFlags', struct({ domain, memoryKiB: quantity, flags: uint }), nothing);
const setStatsPeriod = procedure('domainSetMemoryStatsPeriod', struct({ domain, seconds: int, flags: uint }), nothing);
const memoryStats = procedure(
  'domainMemoryStats',
  struct({ domain, max: uint, flags: uint }),
  struct({ stats: array(struct({ tag: int, value: quantity }), 1024) }),
);
const setVcpus = procedure('domainSetVcpusFlags', struct({ domain, count: uint, flags: uint }), nothing);
const getVcpus = procedure('domainGetVcpusFlags', struct({ domain, flags: uint }), struct({ count: int }));
const guestVcpus = procedure(
  'domainGetGuestVcpus',
  struct({ domain, flags: uint }),
  struct({ parameters: typedParameters(64) }),
);
const allStats = procedure(
  'connectGetAllDomainStats',
  struct({ domains, groups: uint, flags: uint }),
  struct({ records: array(struct({ domain, parameters: typedParameters(262_144) }), maxDomainRecords) }),
);
const startDirtyRate = procedure('domainStartDirtyRateCalc', struct({ domain, seconds: int, flags: uint }), nothing);

/** What the balloon driver and the host tell about a domain's memory; what is unknown is missing. */
export type MemoryStats = { [Tag in (typeof memoryStatTags)[number]]?: number };

/** Calls about memory, virtual CPUs and statistics. */
export const resourceCalls = (caller: Caller) => ({
  setMemory: (domain: DomainRef, memoryKiB: number, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(setMemory, { domain, memoryKiB, flags }, options),

  memoryStats: async (domain: DomainRef, options?: CallOptions): Promise<MemoryStats> => {
    const { stats } = await caller.call(memoryStats, { domain, max: memoryStatTags.length, flags: 0 }, options);
    const known = stats.filter(({ tag }) => memoryStatTags[tag] !== undefined);
    return Object.fromEntries(known.map(({ tag, value }) => [memoryStatTags[tag], value]));
  },

  /** How often the balloon driver refreshes its figures; 0 turns that off. */
  setMemoryStatsPeriod: (domain: DomainRef, seconds: number, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(setStatsPeriod, { domain, seconds, flags }, options),

  setVcpus: (domain: DomainRef, count: number, flags = 0, options?: CallOptions): Promise<void> =>
    caller.call(setVcpus, { domain, count, flags }, options),

  vcpus: async (domain: DomainRef, flags = 0, options?: CallOptions): Promise<number> =>
    (await caller.call(getVcpus, { domain, flags }, options)).count,

  /** Which virtual CPUs the guest itself uses, by its agent. */
  guestVcpus: async (domain: DomainRef, options?: CallOptions): Promise<TypedParameters> =>
    (await caller.call(guestVcpus, { domain, flags: 0 }, options)).parameters,

  /** Statistics of many domains in one call; `groups` from `StatsGroups`, 0 for all. No domains given: all. */
  domainStats: async (
    groups = 0,
    of: readonly DomainRef[] = [],
    flags = 0,
    options?: CallOptions,
  ): Promise<{ domain: DomainRef; parameters: TypedParameters }[]> =>
    (await caller.call(allStats, { domains: [...of], groups, flags }, options)).records,

  /** Starts measuring how fast the guest changes memory; the result is in `domainStats` (`DIRTY_RATE`). */
  startDirtyRateCalculation: (domain: DomainRef, seconds: number, options?: CallOptions): Promise<void> =>
    caller.call(startDirtyRate, { domain, seconds, flags: 0 }, options),
});

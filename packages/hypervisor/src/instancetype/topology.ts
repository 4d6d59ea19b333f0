import { type FieldError, fieldError } from '@vireo/api';
import type { VirtualMachineInstancetypeSpec } from '@vireo/api/kinds/instancetype/instancetypeSpec.ts';
import type { VirtualMachinePreferenceSpec } from '@vireo/api/kinds/instancetype/preferenceSpec.ts';
import { DEPRECATED_TOPOLOGIES, type PreferredTopology } from '@vireo/api/kinds/instancetype/topologies.ts';
import type { Topology } from '../domainSpec.ts';

/** What processors are spread over, as preferences name it. */
export type SpreadAcross = 'SocketsCores' | 'CoresThreads' | 'SocketsCoresThreads';

/** What virtual processors become: what the preference says in present words, else sockets. */
export function preferredTopology(preference: VirtualMachinePreferenceSpec | undefined): PreferredTopology {
  const topology = preference?.cpu?.preferredCPUTopology ?? 'sockets';
  return DEPRECATED_TOPOLOGIES[topology] ?? (topology as PreferredTopology);
}

/** How processors are spread: over what, and how many of the finer for each of the coarser. */
export function spreadOptions(preference: VirtualMachinePreferenceSpec | undefined): {
  ratio: number;
  across: SpreadAcross;
} {
  const { ratio, across } = preference?.cpu?.spreadOptions ?? {};
  return { ratio: ratio || preference?.preferSpreadSocketToCoreRatio || 2, across: across ?? 'SocketsCores' };
}

const THREADS_A_CORE = 2;

/** Processors of an instance type as sockets, cores and threads. */
export function guestTopology(vcpus: number, preference: VirtualMachinePreferenceSpec | undefined): Topology {
  const one: Topology = { sockets: 1, cores: 1, threads: 1 };
  if (vcpus === 1) return one;
  const kind = preferredTopology(preference);
  if (kind === 'any') return { ...one, sockets: vcpus };
  if (kind !== 'spread') return { ...one, [kind]: vcpus };
  const { ratio, across } = spreadOptions(preference);
  switch (across) {
    case 'SocketsCores':
      return { ...one, cores: ratio, sockets: vcpus / ratio };
    case 'CoresThreads':
      return { ...one, threads: ratio, cores: vcpus / ratio };
    case 'SocketsCoresThreads':
      return { threads: THREADS_A_CORE, cores: ratio, sockets: vcpus / THREADS_A_CORE / ratio };
  }
}

/** Processors that cannot be spread evenly. */
export function unevenSpread(
  { cpu: { guest } }: VirtualMachineInstancetypeSpec,
  preference: VirtualMachinePreferenceSpec | undefined,
): FieldError[] {
  if (preferredTopology(preference) !== 'spread') return [];
  const { ratio, across } = spreadOptions(preference);
  const uneven = (whole: string): FieldError[] => [
    fieldError(
      'instancetype.spec.cpu.guest',
      `${guest} vCPUs provided by the instance type are not divisible by the ${whole}`,
    ),
  ];
  const byRatio = `Spec.PreferSpreadSocketToCoreRatio or Spec.CPU.PreferSpreadOptions.Ratio of ${ratio}`;
  const byThreads = 'number of threads per core';
  switch (across) {
    case 'SocketsCores':
      return guest % ratio === 0 ? [] : uneven(`${byRatio} provided by the preference`);
    case 'CoresThreads':
      return guest % ratio === 0 ? [] : uneven(`${byThreads} ${ratio}`);
    case 'SocketsCoresThreads':
      return guest % (THREADS_A_CORE * ratio) === 0 ? [] : uneven(`${byThreads} ${THREADS_A_CORE} and ${byRatio}`);
  }
}

import { canonicalQuantity } from '@vireo/api/quantity.ts';
import { DEDICATED_CPUS, DEVICE_PREFIX } from '@vireo/hypervisor';
import type { DeviceState } from './deviceHealth.ts';

/** Amounts by resource name. */
export type Resources = Readonly<Record<string, string>>;

/** Whether a node speaks of a device at all: not of an optional one that is not there, so that launchers do not ask for it. */
export const isOffered = ({ path, isOptional, problem }: DeviceState): boolean =>
  path !== '' && !(isOptional && problem);

/**
 * What a node offers of its devices, as a kubelet counts them: one that does not work stays in the capacity, and nobody
 * can have it.
 */
export function deviceResources(
  devices: readonly DeviceState[],
  units: number,
): { readonly capacity: Resources; readonly allocatable: Resources } {
  const offered = devices.filter(isOffered);
  // As the server writes it: what is there is compared with what should be.
  const amount = canonicalQuantity(String(units));
  return {
    capacity: Object.fromEntries(offered.map(({ resource }) => [resource, amount])),
    allocatable: Object.fromEntries(offered.map(({ resource, problem }) => [resource, problem ? '0' : amount])),
  };
}

/** How many CPUs VMs can have to themselves; `isEnabled`: whether the node hands them out at all. */
export const cpuResources = (
  dedicableCpus: number | undefined,
  isEnabled: boolean,
): { readonly capacity: Resources; readonly allocatable: Resources } =>
  dedicableCpus === undefined
    ? { capacity: {}, allocatable: {} }
    : {
        capacity: { [DEDICATED_CPUS]: canonicalQuantity(String(dedicableCpus)) },
        allocatable: { [DEDICATED_CPUS]: isEnabled ? canonicalQuantity(String(dedicableCpus)) : '0' },
      };

/** A merge patch that leaves exactly these devices, and what is not a device of ours as it is. */
export function resourcesPatch(
  before: Readonly<Record<string, string | number>> | undefined,
  after: Resources,
): Record<string, string | null> {
  const gone = Object.keys(before ?? {}).filter((name) => name.startsWith(DEVICE_PREFIX) && !(name in after));
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

import { canonicalQuantity } from '@vireo/api/quantity.ts';
import { DEVICE_PREFIX } from '@vireo/hypervisor';
import type { DeviceState } from './deviceHealth.ts';

/** Amounts by resource name. */
export type Resources = Readonly<Record<string, string>>;

/**
 * What a node offers of its devices, as a kubelet counts them: one that does not work stays in the capacity, and nobody
 * can have it. Optional ones that are not there are not spoken of, so that launchers do not ask for them.
 */
export function deviceResources(
  devices: readonly DeviceState[],
  units: number,
): { readonly capacity: Resources; readonly allocatable: Resources } {
  const offered = devices.filter(({ path, isOptional, problem }) => path !== '' && !(isOptional && problem));
  // As the server writes it: what is there is compared with what should be.
  const amount = canonicalQuantity(String(units));
  return {
    capacity: Object.fromEntries(offered.map(({ resource }) => [resource, amount])),
    allocatable: Object.fromEntries(offered.map(({ resource, problem }) => [resource, problem ? '0' : amount])),
  };
}

/** A merge patch that leaves exactly these devices, and what is not a device of ours as it is. */
export function resourcesPatch(
  before: Readonly<Record<string, string | number>> | undefined,
  after: Resources,
): Record<string, string | null> {
  const gone = Object.keys(before ?? {}).filter((name) => name.startsWith(DEVICE_PREFIX) && !(name in after));
  return { ...after, ...Object.fromEntries(gone.map((name) => [name, null])) };
}

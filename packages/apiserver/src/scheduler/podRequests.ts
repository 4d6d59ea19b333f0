import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { podResources } from '@vireo/api/kinds/core/podResources.ts';
import { type Quantity, toBytes, toMilli } from '@vireo/api/quantity.ts';

/** Amounts by resource name: CPU in thousandths, everything else in whole units. */
export type Amounts = Readonly<Record<string, number>>;

const toAmount = (resource: string, quantity: string | number | Quantity): number =>
  Number(resource === 'cpu' ? toMilli(quantity) : toBytes(quantity));

export const toAmounts = (list: Readonly<Record<string, string | number | Quantity>> | undefined): Amounts =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, quantity]) => [name, toAmount(name, quantity)]));

const cache = new WeakMap<Pod, Amounts>();

/** What a pod asks of its node. */
export function podRequests(pod: Pod): Amounts {
  const known = cache.get(pod);
  if (known) return known;
  const requests = toAmounts(podResources(pod.spec, 'requests'));
  cache.set(pod, requests);
  return requests;
}

const DEFAULT_MILLI_CPU = 100;
const DEFAULT_MEMORY_BYTES = 200 * 1024 * 1024;

/** For scores only: a container that asks for nothing still counts for a little, so that such pods spread. */
export function podRequestsForScore(pod: Pod): { cpu: number; memory: number } {
  const requests = podRequests(pod);
  const containers = pod.spec?.containers ?? [];
  const silent = (name: string) => containers.filter(({ resources }) => !resources?.requests?.[name]).length;
  return {
    cpu: (requests.cpu ?? 0) + silent('cpu') * DEFAULT_MILLI_CPU,
    memory: (requests.memory ?? 0) + silent('memory') * DEFAULT_MEMORY_BYTES,
  };
}

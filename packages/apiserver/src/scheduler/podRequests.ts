import type { Container } from '@vireo/api/kinds/core/container.ts';
import type { Pod } from '@vireo/api/kinds/core/pod.ts';
import { parseQuantity, quantityMillis, quantityUnits } from '../quantity.ts';

/** Amounts by resource name: CPU in thousandths, everything else in whole units. */
export type Amounts = Readonly<Record<string, number>>;

export const toAmount = (resource: string, quantity: string | number): number =>
  resource === 'cpu' ? quantityMillis(parseQuantity(quantity)) : quantityUnits(parseQuantity(quantity));

export const toAmounts = (list: Readonly<Record<string, string | number>> | undefined): Amounts =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, quantity]) => [name, toAmount(name, quantity)]));

const cache = new WeakMap<Pod, Amounts>();

/**
 * What a pod asks of its node. Containers add up; an init container counts only where it needs more than what runs
 * beside or after it; sidecars (init containers that restart always) add to all that follow them; overhead comes on top.
 */
export function podRequests(pod: Pod): Amounts {
  const known = cache.get(pod);
  if (known) return known;
  const requests = sumRequests(pod);
  cache.set(pod, requests);
  return requests;
}

function sumRequests({ spec }: Pod): Amounts {
  const running: Record<string, number> = {};
  for (const container of spec?.containers ?? []) add(running, requestsOf(container));
  const sidecars: Record<string, number> = {};
  const starting: Record<string, number> = {};
  for (const container of spec?.initContainers ?? []) {
    const requests = requestsOf(container);
    if (container.restartPolicy === 'Always') {
      add(running, requests);
      add(sidecars, requests);
      raise(starting, sidecars);
    } else raise(starting, sum(requests, sidecars));
  }
  raise(running, starting);
  add(running, toAmounts(spec?.overhead));
  return running;
}

/** Where only a limit is given, it is also the request. */
const requestsOf = ({ resources }: Container): Amounts => ({
  ...toAmounts(resources?.limits),
  ...toAmounts(resources?.requests),
});

function add(target: Record<string, number>, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) target[name] = (target[name] ?? 0) + amount;
}

function raise(target: Record<string, number>, amounts: Amounts): void {
  for (const [name, amount] of Object.entries(amounts)) target[name] = Math.max(target[name] ?? 0, amount);
}

function sum(a: Amounts, b: Amounts): Amounts {
  const total = { ...a };
  add(total, b);
  return total;
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

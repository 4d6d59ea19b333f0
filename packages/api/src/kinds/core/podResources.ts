import { addQuantities, compareQuantities, parseQuantity, type Quantity } from '../../quantity.ts';
import type { Container } from './container.ts';
import type { Pod } from './pod.ts';

/** Exact amounts by resource name. */
export type Quantities = Readonly<Record<string, Quantity>>;

type PodSpec = NonNullable<Pod['spec']>;

/**
 * What a pod requests, or is limited to, as a whole. Containers add up; an init container counts only where it needs
 * more than what runs beside or after it; sidecars (init containers that restart always) add to all that follow them;
 * overhead comes on top.
 */
export function podResources(spec: PodSpec | undefined, part: 'requests' | 'limits'): Quantities {
  const running: Record<string, Quantity> = {};
  for (const container of spec?.containers ?? []) add(running, resourcesOf(container, part));
  const sidecars: Record<string, Quantity> = {};
  const starting: Record<string, Quantity> = {};
  for (const container of spec?.initContainers ?? []) {
    const needs = resourcesOf(container, part);
    if (container.restartPolicy === 'Always') {
      add(running, needs);
      add(sidecars, needs);
      raise(starting, sidecars);
    } else {
      const together = { ...needs };
      add(together, sidecars);
      raise(starting, together);
    }
  }
  raise(running, starting);
  for (const [name, quantity] of Object.entries(parseAll(spec?.overhead)))
    if (part === 'requests' || name in running) add(running, { [name]: quantity });
  return running;
}

/** Where only a limit is given, it is also the request. */
export function resourcesOf({ resources }: Container, part: 'requests' | 'limits'): Record<string, Quantity> {
  const limits = parseAll(resources?.limits);
  return part === 'limits' ? limits : { ...limits, ...parseAll(resources?.requests) };
}

const parseAll = (list: Readonly<Record<string, string | number>> | undefined): Record<string, Quantity> =>
  Object.fromEntries(Object.entries(list ?? {}).map(([name, quantity]) => [name, parseQuantity(quantity)]));

function add(target: Record<string, Quantity>, amounts: Quantities): void {
  for (const [name, quantity] of Object.entries(amounts)) target[name] = addQuantities(target[name] ?? 0, quantity);
}

function raise(target: Record<string, Quantity>, amounts: Quantities): void {
  for (const [name, quantity] of Object.entries(amounts)) {
    const current = target[name];
    if (current === undefined || compareQuantities(quantity, current) > 0) target[name] = quantity;
  }
}

import type { Container, PodSpec } from '@vireo/api';
import { compareQuantities } from '@vireo/api/quantity.ts';
import { isPositive } from './amounts.ts';

export type QosClass = 'Guaranteed' | 'Burstable' | 'BestEffort';

const COUNTED = ['cpu', 'memory'] as const;

/**
 * How much a pod can rely on its resources, which decides who is killed first when a node runs short: Guaranteed when
 * every container's requests equal its limits, BestEffort when nobody asks for anything, Burstable between.
 */
export function qosClassOf(spec: PodSpec | undefined): QosClass {
  const containers = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])];
  if (!containers.some(asksForSomething)) return 'BestEffort';
  return containers.every(isGuaranteed) ? 'Guaranteed' : 'Burstable';
}

const isSet = (amount: string | number | undefined): amount is string | number =>
  amount !== undefined && isPositive(amount);

const asksForSomething = ({ resources }: Container): boolean =>
  COUNTED.some((name) => isSet(resources?.requests?.[name]) || isSet(resources?.limits?.[name]));

const isGuaranteed = ({ resources }: Container): boolean =>
  COUNTED.every((name) => {
    const limit = resources?.limits?.[name];
    const request = resources?.requests?.[name] ?? limit;
    return isSet(limit) && isSet(request) && compareQuantities(request, limit) === 0;
  });

import { hasEnded, type Node, type Persisted, type Pod } from '@vireo/api';
import { podResources } from '@vireo/api/kinds/core/podResources.ts';
import {
  addQuantities,
  compareQuantities,
  formatBytes,
  type Quantity,
  subtractQuantities,
  toBytes,
} from '@vireo/api/quantity.ts';

const COUNTED = ['cpu', 'memory'] as const;

/** The requests that a node has granted a pod: those before a resize that it has not granted yet. */
function granted(pod: Persisted<Pod>): Readonly<Record<string, Quantity>> {
  const allocated = new Map(
    (pod.status?.containerStatuses ?? []).map(({ name, allocatedResources }) => [name, allocatedResources]),
  );
  const containers = (pod.spec?.containers ?? []).map((container) => {
    const requests = allocated.get(container.name);
    return requests ? { ...container, resources: { ...container.resources, requests } } : container;
  });
  return podResources(pod.spec && { ...pod.spec, containers }, 'requests');
}

/** What is missing on a node for the requests of a pod that it has, given all its pods; undefined where nothing is. */
export function missingRoom(
  { status }: Pick<Node, 'status'>,
  pods: readonly Persisted<Pod>[],
  pod: Persisted<Pod>,
): string | undefined {
  const others = pods.filter((each) => each.metadata.uid !== pod.metadata.uid && !hasEnded(each));
  const wanted = podResources(pod.spec, 'requests');
  const lacking = COUNTED.flatMap((name) => {
    const used = others.reduce<Quantity | 0>((sum, each) => addQuantities(sum, granted(each)[name] ?? 0), 0);
    const free = subtractQuantities(status?.allocatable?.[name] ?? 0, used);
    const needed = wanted[name] ?? 0;
    return compareQuantities(needed, free) > 0
      ? [`${text(name, needed)} of ${name} needed, ${text(name, free)} free`]
      : [];
  });
  return lacking.length > 0 ? lacking.join('; ') : undefined;
}

const text = (name: (typeof COUNTED)[number], quantity: Quantity | string | number): string =>
  name === 'memory' ? formatBytes(Math.max(0, Number(toBytes(quantity)))) : `${cores(quantity)}`;

const cores = (quantity: Quantity | string | number): number =>
  Math.max(0, Number(subtractQuantities(quantity, 0).nano) / 1e9);

/** The requests of its compute container as the node grants them, for the status of a launcher. */
export function grantedContainers(pod: Persisted<Pod>): NonNullable<Pod['status']>['containerStatuses'] {
  return (pod.status?.containerStatuses ?? []).map((each) => {
    const resources = pod.spec?.containers.find(({ name }) => name === each.name)?.resources;
    return resources ? { ...each, allocatedResources: { ...resources.requests }, resources } : each;
  });
}

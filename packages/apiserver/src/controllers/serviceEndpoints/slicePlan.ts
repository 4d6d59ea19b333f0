import type { Endpoint, EndpointSlice, EndpointSlicePort, ObjectMeta, Persisted } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { TRIGGER_TIME } from './names.ts';

/** Endpoints that can be in one slice: of one address family, with the same ports. */
export interface EndpointGroup {
  readonly addressType: string;
  readonly ports: readonly EndpointSlicePort[];
  readonly endpoints: readonly Endpoint[];
}

/** What all slices of one Service have in common. */
export interface SliceTemplate {
  /** Missing annotations: those of the slices are whoever's. */
  readonly metadata: Pick<ObjectMeta, 'namespace' | 'generateName' | 'labels' | 'annotations' | 'ownerReferences'>;
  readonly maxEndpoints: number;
  /** Whether a slice is of this owner, rather than of an earlier one of the same name. */
  readonly isOwn: (slice: EndpointSlice) => boolean;
}

export interface SlicePlan {
  readonly create: readonly EndpointSlice[];
  readonly update: readonly Persisted<EndpointSlice>[];
  readonly delete: readonly Persisted<EndpointSlice>[];
}

type MutablePlan = { create: EndpointSlice[]; update: Persisted<EndpointSlice>[]; delete: Persisted<EndpointSlice>[] };

/** A slice that is there, and the endpoints that it is to have. */
interface Kept {
  readonly slice: Persisted<EndpointSlice>;
  endpoints: Endpoint[];
  isChanged: boolean;
}

/**
 * The fewest writes that bring the slices in line with the groups: what stays stays where it is, what comes goes into
 * slices that change anyway, else into one that has room. A group without endpoints has one slice that says so.
 */
export function planSlices(
  groups: readonly EndpointGroup[],
  existing: readonly Persisted<EndpointSlice>[],
  template: SliceTemplate,
): SlicePlan {
  const plan: MutablePlan = { create: [], update: [], delete: existing.filter((slice) => !template.isOwn(slice)) };
  const byGroup = Map.groupBy(existing.filter(template.isOwn), groupKey);
  for (const group of groups) {
    const key = groupKey(group);
    planGroup(group, byGroup.get(key) ?? [], template, plan);
    byGroup.delete(key);
  }
  plan.delete.push(...[...byGroup.values()].flat());
  return reuseDeleted(plan, template);
}

const groupKey = ({ addressType, ports = [] }: { addressType: string; ports?: readonly EndpointSlicePort[] }): string =>
  JSON.stringify([
    addressType,
    ports
      .map(({ name = '', protocol = 'TCP', port = 0, appProtocol = '' }) =>
        [name, protocol, port, appProtocol].join(' '),
      )
      .sort(),
  ]);

/** What makes an endpoint the same one, whatever its state. */
const idOf = ({ addresses, hostname, targetRef }: Endpoint): string =>
  JSON.stringify([addresses, hostname, targetRef?.namespace, targetRef?.name]);

function planGroup(
  group: EndpointGroup,
  existing: readonly Persisted<EndpointSlice>[],
  template: SliceTemplate,
  plan: MutablePlan,
): void {
  const { maxEndpoints } = template;
  const missing = new Map(group.endpoints.map((endpoint) => [idOf(endpoint), endpoint]));
  const slices = existing.map((slice) => keep(slice, missing, template));
  const room = ({ endpoints }: Kept): number => maxEndpoints - endpoints.length;
  const fill = (endpoints: Endpoint[]): void => {
    for (const [id, endpoint] of missing) {
      if (endpoints.length >= maxEndpoints) return;
      endpoints.push(endpoint);
      missing.delete(id);
    }
  };
  const changing = slices.filter(({ isChanged, endpoints }) => isChanged && endpoints.length > 0);
  for (const { endpoints } of changing.toSorted((a, b) => room(a) - room(b))) fill(endpoints);
  if (missing.size > 0) {
    const [fullest] = slices
      .filter((slice) => room(slice) >= missing.size && !changing.includes(slice))
      .toSorted((a, b) => room(a) - room(b));
    if (fullest) {
      fill(fullest.endpoints);
      fullest.isChanged = true;
    }
  }
  while (missing.size > 0) {
    const endpoints: Endpoint[] = [];
    fill(endpoints);
    plan.create.push(newSlice(group, endpoints, template));
  }
  const isEmptyGroup = group.endpoints.length === 0;
  if (isEmptyGroup && slices.length === 0) plan.create.push(newSlice(group, [], template));
  for (const [index, { slice, endpoints, isChanged }] of slices.entries()) {
    const isNeeded = endpoints.length > 0 || (isEmptyGroup && index === 0);
    if (!isNeeded) plan.delete.push(slice);
    else if (isChanged) plan.update.push(changedSlice(slice, { ...group, endpoints }, template));
  }
}

/** Takes the slice's endpoints that are still wanted, as they are now, out of those that are missing. */
function keep(slice: Persisted<EndpointSlice>, missing: Map<string, Endpoint>, template: SliceTemplate): Kept {
  const endpoints = (slice.endpoints ?? []).flatMap((endpoint) => {
    const id = idOf(endpoint);
    const wanted = missing.get(id);
    missing.delete(id);
    return wanted ?? [];
  });
  return { slice, endpoints, isChanged: !deepEqual(endpoints, slice.endpoints ?? []) || !hasMetadata(slice, template) };
}

function hasMetadata({ metadata }: EndpointSlice, template: SliceTemplate): boolean {
  const annotations = annotationsOf({ metadata });
  return (
    deepEqual(metadata.labels ?? {}, template.metadata.labels ?? {}) &&
    deepEqual(annotations, template.metadata.annotations ?? annotations)
  );
}

/** Without the time of the change that the slice follows, which the next write sets or clears. */
function annotationsOf({ metadata }: Pick<EndpointSlice, 'metadata'>): Record<string, string> {
  const { [TRIGGER_TIME]: _, ...annotations } = metadata.annotations ?? {};
  return annotations;
}

const newSlice = (
  { addressType, ports }: EndpointGroup,
  endpoints: Endpoint[],
  template: SliceTemplate,
): EndpointSlice => ({
  apiVersion: 'discovery.k8s.io/v1',
  kind: 'EndpointSlice',
  metadata: { ...template.metadata },
  addressType,
  endpoints,
  ports: [...ports],
});

const changedSlice = (
  slice: Persisted<EndpointSlice>,
  { ports, endpoints }: Pick<EndpointGroup, 'ports' | 'endpoints'>,
  { metadata: { labels, annotations } }: SliceTemplate,
): Persisted<EndpointSlice> => ({
  ...slice,
  metadata: { ...slice.metadata, ...(labels && { labels }), annotations: annotations ?? annotationsOf(slice) },
  endpoints: [...endpoints],
  ports: [...ports],
});

/** One write instead of two: a slice that would go becomes one that would come. */
function reuseDeleted(plan: MutablePlan, template: SliceTemplate): SlicePlan {
  const removed = plan.delete.filter((slice) => {
    const index = template.isOwn(slice) ? plan.create.findIndex((each) => each.addressType === slice.addressType) : -1;
    const [taken] = index < 0 ? [] : plan.create.splice(index, 1);
    if (taken)
      plan.update.push(changedSlice(slice, { ports: taken.ports ?? [], endpoints: taken.endpoints ?? [] }, template));
    return !taken;
  });
  return { ...plan, delete: removed };
}

import {
  controllerReference,
  type EndpointSlice,
  isDeleting,
  isOwnedBy,
  type Node,
  type Persisted,
  type Pod,
  Service,
} from '@vireo/api';
import type { Result } from '@vireo/kube';
import { applyPlan, type PlanParts } from '../serviceEndpoints/applyPlan.ts';
import { HEADLESS, MANAGED_BY, SERVICE_NAME } from '../serviceEndpoints/names.ts';
import { isHeadless } from '../serviceEndpoints/pods.ts';
import { planSlices, type SliceTemplate } from '../serviceEndpoints/slicePlan.ts';
import { endpointGroups } from './endpoint.ts';

/** Who the slices say that they belong to. */
export const SLICE_MANAGER = 'endpointslice-controller.k8s.io';

const MAX_ENDPOINTS = 100;
const UNKNOWN_NODE_MS = 1000;

export interface SliceInput {
  readonly service: Persisted<Service>;
  readonly pods: readonly Persisted<Pod>[];
  readonly slices: readonly Persisted<EndpointSlice>[];
  readonly nodeOf: (name: string) => Node | undefined;
}

/** Brings the slices of a Service in line with its pods. */
export async function reconcileSlices(input: SliceInput, parts: PlanParts): Promise<Result | undefined> {
  const { service, pods, slices, nodeOf } = input;
  const { groups, hasUnknownNode } = endpointGroups(service, pods, nodeOf);
  const plan = planSlices(groups, slices, templateOf(service));
  // The garbage collector deletes slices of a Service that is going; it would have to delete new ones, too.
  await applyPlan(isDeleting(service) ? { ...plan, create: [] } : plan, parts);
  return hasUnknownNode ? { requeueAfterMs: UNKNOWN_NODE_MS } : undefined;
}

const templateOf = (service: Persisted<Service>): SliceTemplate => ({
  maxEndpoints: MAX_ENDPOINTS,
  isOwn: (slice) => isOwnedBy(slice, service),
  metadata: {
    ...(service.metadata.namespace && { namespace: service.metadata.namespace }),
    generateName: `${service.metadata.name}-`,
    labels: sliceLabels(service),
    ownerReferences: [controllerReference(service, Service)],
  },
});

function sliceLabels(service: Persisted<Service>): Record<string, string> {
  const { [HEADLESS]: _, ...labels } = service.metadata.labels ?? {};
  return {
    ...labels,
    ...(isHeadless(service) && { [HEADLESS]: '' }),
    [SERVICE_NAME]: service.metadata.name,
    [MANAGED_BY]: SLICE_MANAGER,
  };
}

import {
  controllerReference,
  EndpointSlice,
  Endpoints,
  isDeleting,
  isOwnedBy,
  type Persisted,
  Service,
} from '@vireo/api';
import { type ControllerContext, Expectations, keyOf, runController, watch } from '@vireo/kube';
import { applyPlan } from '../serviceEndpoints/applyPlan.ts';
import { MANAGED_BY, SERVICE_NAME } from '../serviceEndpoints/names.ts';
import { planSlices } from '../serviceEndpoints/slicePlan.ts';
import {
  isMirrored,
  MAX_PER_SUBSET,
  MIRROR_MANAGER,
  mirroredGroups,
  mirroredMetadata,
  skippedCount,
} from './mirror.ts';

export const ENDPOINT_SLICE_MIRRORING_USER = 'system:serviceaccount:kube-system:endpointslicemirroring-controller';

/** Mirrors the Endpoints that users write into slices: clients of Services look at slices only. */
export async function startEndpointSliceMirroringController(
  context: ControllerContext,
  signal: AbortSignal,
): Promise<void> {
  const { client, informers, clock, recorder } = context;
  const services = informers.for(Service);
  const endpoints = informers.for(Endpoints);
  const slices = informers.for(EndpointSlice, {
    labelSelector: `${MANAGED_BY}=${MIRROR_MANAGER}`,
    indexes: { endpoints: ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`] },
  });
  const expectations = new Expectations(clock);
  await runController(
    {
      name: 'endpointslicemirroring',
      for: endpoints,
      owns: [slices],
      watches: [watch(services, keyOf)],
      expectations,
      reconcile: async (key) => {
        const source = endpoints.get(key);
        if (!source || !expectations.isSatisfied(key)) return;
        const groups = isMirrored(source, services.get(key)) && !isDeleting(source) ? mirroredGroups(source) : [];
        const plan = planSlices(groups, slices.byIndex('endpoints', key), templateOf(source));
        if (plan.create.length + plan.update.length + plan.delete.length === 0) return;
        const skipped = groups.length > 0 ? skippedCount(source) : 0;
        if (skipped > 0)
          recorder.event(
            source,
            'Warning',
            'TooManyAddressesToMirror',
            `A max of ${MAX_PER_SUBSET} addresses can be mirrored to EndpointSlices per Endpoints subset. ${skipped} addresses were skipped`,
          );
        await applyPlan(plan, { client, expectations, key });
      },
    },
    context,
    signal,
  );
}

const templateOf = (source: Persisted<Endpoints>) => ({
  maxEndpoints: MAX_PER_SUBSET,
  isOwn: (slice: EndpointSlice) => isOwnedBy(slice, source),
  metadata: {
    ...(source.metadata.namespace && { namespace: source.metadata.namespace }),
    generateName: `${source.metadata.name}-`,
    ...mirroredMetadata(source),
    ownerReferences: [controllerReference(source, Endpoints)],
  },
});

import { EndpointSlice, Node, Pod, Service } from '@vireo/api';
import { type ControllerContext, Expectations, runController, watch } from '@vireo/kube';
import { affectedServices, BY_NAMESPACE, BY_SELECTOR, podsOf, selectsPods } from '../serviceEndpoints/members.ts';
import { MANAGED_BY, SERVICE_NAME } from '../serviceEndpoints/names.ts';
import { TriggerTimes } from '../serviceEndpoints/triggerTimes.ts';
import { reconcileSlices, SLICE_MANAGER } from './reconcile.ts';

export const ENDPOINT_SLICE_USER = 'system:serviceaccount:kube-system:endpointslice-controller';

/** Keeps the EndpointSlices of Services that select pods. */
export async function startEndpointSliceController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock } = context;
  const services = informers.for(Service, { indexes: BY_SELECTOR });
  const pods = informers.for(Pod, { indexes: BY_NAMESPACE });
  const nodes = informers.for(Node);
  const slices = informers.for(EndpointSlice, {
    labelSelector: `${MANAGED_BY}=${SLICE_MANAGER}`,
    indexes: {
      service: ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`],
    },
  });
  const expectations = new Expectations(clock);
  const triggerTimes = new TriggerTimes();
  await runController(
    {
      name: 'endpointslice',
      for: services,
      owns: [slices],
      watches: [watch(pods, affectedServices(services))],
      reads: [nodes],
      expectations,
      reconcile: async (key) => {
        const service = services.get(key);
        if (!service) triggerTimes.forget(key);
        if (!service || !selectsPods(service) || !expectations.isSatisfied(key)) return undefined;
        const selected = podsOf(service, pods);
        return reconcileSlices(
          {
            service,
            pods: selected,
            slices: slices.byIndex('service', key),
            nodeOf: (name) => nodes.get(name),
          },
          { client, expectations, key, triggerTime: triggerTimes.next(key, service, selected) },
        );
      },
    },
    context,
    signal,
  );
}

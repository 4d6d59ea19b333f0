import { Endpoints, Pod, Service } from '@vireo/api';
import { type ControllerContext, ignoreNotFound, keyOf, runController, watch } from '@vireo/kube';
import { affectedServices, BY_NAMESPACE, BY_SELECTOR, podsOf, selectsPods } from '../serviceEndpoints/members.ts';
import { TriggerTimes } from '../serviceEndpoints/triggerTimes.ts';
import { ENDPOINTS_MANAGED_BY, ENDPOINTS_MANAGER, reconcileEndpoints } from './reconcile.ts';

export const ENDPOINTS_USER = 'system:serviceaccount:kube-system:endpoint-controller';

/** Keeps the Endpoints of Services that select pods, for clients that do not know EndpointSlices. */
export async function startEndpointsController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const services = informers.for(Service, { indexes: BY_SELECTOR });
  const pods = informers.for(Pod, { indexes: BY_NAMESPACE });
  const endpoints = informers.for(Endpoints);
  const triggerTimes = new TriggerTimes();
  const isOurs = ({ metadata }: Endpoints): boolean => metadata.labels?.[ENDPOINTS_MANAGED_BY] === ENDPOINTS_MANAGER;
  await runController(
    {
      name: 'endpoint',
      for: services,
      watches: [
        watch(pods, affectedServices(services)),
        watch(endpoints, (changed) => (services.get(keyOf(changed)) ? keyOf(changed) : [])),
      ],
      // What was left behind by a Service that went while nobody looked.
      initialKeys: () => endpoints.list().filter(isOurs).map(keyOf),
      reconcile: async (key) => {
        const service = services.get(key);
        const existing = endpoints.get(key);
        if (!service) {
          triggerTimes.forget(key);
          if (existing) await client.of(Endpoints).deleteExactly(existing).catch(ignoreNotFound);
          return;
        }
        if (!selectsPods(service)) return;
        const selected = podsOf(service, pods);
        const triggerTime = triggerTimes.next(key, service, selected);
        await reconcileEndpoints(service, selected, existing, { client, triggerTime });
      },
    },
    context,
    signal,
  );
}

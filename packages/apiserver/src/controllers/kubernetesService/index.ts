import { EndpointSlice, Endpoints, Service } from '@vireo/api';
import { type ControllerContext, ignoreConcurrentCreate, runController, watch } from '@vireo/kube';
import { type KubernetesServiceOptions, kubernetesServiceObjects } from '../../bootstrap/objects.ts';
import { leadingHere, leadsElsewhere } from './status.ts';

export const KUBERNETES_SERVICE_USER = 'system:serviceaccount:kube-system:kubernetes-service-controller';

const KEY = 'default/kubernetes';
const ALONE = { namespace: 'default', fieldSelector: 'metadata.name=kubernetes' };

/** Keeps the Service by which pods and guests find this server, and what says where it leads. */
export async function startKubernetesServiceController(
  context: ControllerContext & { readonly kubernetesService: KubernetesServiceOptions },
  signal: AbortSignal,
): Promise<void> {
  const { client, informers } = context;
  const services = informers.for(Service, ALONE);
  const endpoints = informers.for(Endpoints, ALONE);
  const slices = informers.for(EndpointSlice, ALONE);
  const wanted = kubernetesServiceObjects(context.kubernetesService);
  await runController(
    {
      name: 'kubernetes-service',
      watches: [watch(services, () => KEY), watch(endpoints, () => KEY), watch(slices, () => KEY)],
      initialKeys: () => [KEY],
      reconcile: async () => {
        if (!services.get(KEY)) await client.of(Service).create(wanted.service).catch(ignoreConcurrentCreate);
        const found = endpoints.get(KEY);
        if (!found) await client.of(Endpoints).create(wanted.endpoints).catch(ignoreConcurrentCreate);
        else if (leadsElsewhere(found, wanted.endpoints))
          await client.of(Endpoints).update(leadingHere(found, wanted.endpoints));
        const slice = slices.get(KEY);
        if (!slice) await client.of(EndpointSlice).create(wanted.slice).catch(ignoreConcurrentCreate);
        else if (slice.addressType !== wanted.slice.addressType)
          // It cannot change; the next comes when this one has gone.
          await client.of(EndpointSlice).deleteExactly(slice);
        else if (leadsElsewhere(slice, wanted.slice))
          await client.of(EndpointSlice).update(leadingHere(slice, wanted.slice));
      },
    },
    context,
    signal,
  );
}

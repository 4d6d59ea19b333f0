import { EndpointSlice, isDeleting, Node, type Persisted, Service } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { type ControllerContext, keyOf, runController, watch } from '@vireo/kube';
import { SERVICE_NAME } from '../serviceEndpoints/names.ts';
import { addressesOfNode, findConflict, ingressOf, isBalancedByNodes, wantedAddresses } from './decide.ts';

export const LOAD_BALANCER_USER = 'system:serviceaccount:kube-system:service-controller';

/** Gives Services of type LoadBalancer the addresses of nodes, which lead to every Service on its ports. */
export async function startLoadBalancerController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder } = context;
  const services = informers.for(Service, {
    indexes: { balanced: (service) => (isBalancedByNodes(service) ? ['yes'] : []) },
  });
  const nodes = informers.for(Node);
  const slices = informers.for(EndpointSlice, {
    indexes: { service: ({ metadata }) => [`${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`] },
  });
  const balanced = () => services.byIndex('balanced', 'yes');
  const allKeys = (): string[] => balanced().map(keyOf);
  const localKey = ({ metadata }: EndpointSlice): string[] => {
    const service = services.get(`${metadata.namespace}/${metadata.labels?.[SERVICE_NAME]}`);
    return service && isBalancedByNodes(service) && isLocal(service) ? [keyOf(service)] : [];
  };
  const addressesOf = (service: Persisted<Service>): string[] =>
    wantedAddresses(
      service,
      nodes.list(),
      isLocal(service) ? nodesOf(slices.byIndex('service', keyOf(service))) : new Set(),
    );
  /** What was said of Services that wait for a port, so that it is said once. */
  const reported = new Map<string, string>();

  await runController(
    {
      name: 'service-load-balancer',
      for: services,
      watches: [
        watch(nodes, {
          added: allKeys,
          updated: (old, node) => (deepEqual(addressesOfNode(old), addressesOfNode(node)) ? [] : allKeys()),
          deleted: allKeys,
        }),
        // Whoever waits for a port looks again when another Service gives one up.
        watch(services, { updated: () => [...reported.keys()], deleted: () => [...reported.keys()] }),
        watch(slices, localKey),
      ],
      reconcile: async (key) => {
        const service = services.get(key);
        const isOurs = service && isBalancedByNodes(service) && !isDeleting(service);
        const conflict = isOurs ? findConflict(service, balanced(), addressesOf) : undefined;
        const said =
          conflict &&
          `Error syncing load balancer: port ${conflict.port}/${conflict.protocol} is taken by the Service ${keyOf(conflict.other)}`;
        if (service && said && reported.get(key) !== said)
          recorder.event(service, 'Warning', 'SyncLoadBalancerFailed', said);
        if (said) reported.set(key, said);
        else reported.delete(key);
        if (!service || (service.spec?.type === 'LoadBalancer' && !isOurs)) return;
        const ingress = ingressOf(isOurs && !conflict ? addressesOf(service) : []);
        if (deepEqual(service.status?.loadBalancer?.ingress ?? [], ingress)) return;
        await client.of(Service).patchStatusIfUnchanged(service, {
          loadBalancer: { ingress: ingress.length > 0 ? ingress : null },
        });
      },
    },
    context,
    signal,
  );
}

const isLocal = ({ spec }: Service): boolean => spec?.externalTrafficPolicy === 'Local';

/** The nodes of endpoints that take traffic. */
const nodesOf = (slices: readonly EndpointSlice[]): Set<string> =>
  new Set(
    slices.flatMap(({ endpoints = [] }) =>
      endpoints.flatMap(({ nodeName, conditions }) => (nodeName && conditions?.ready !== false ? [nodeName] : [])),
    ),
  );

import { IPAddress, isDeleting, type Persisted, Service, ServiceCIDR } from '@vireo/api';
import { type Client, type ControllerContext, ignoreNotFound, runController, systemClock, watch } from '@vireo/kube';
import { conditionsOf, FINALIZER, isNeeded } from './status.ts';

export const SERVICE_CIDR_USER = 'system:serviceaccount:kube-system:service-cidrs-controller';

const MANAGED_BY = { 'ipaddress.kubernetes.io/managed-by': 'ipallocator.k8s.io' };

const addressesOf = ({ spec }: Service): string[] =>
  (spec?.clusterIPs ?? []).filter((address) => address !== 'None' && address !== '');

/** Says of the ranges of Services whether they are in use, and of each address whose it is. */
export async function startServiceCidrController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, clock = systemClock } = context;
  const ranges = informers.for(ServiceCIDR);
  const services = informers.for(Service, { indexes: { address: addressesOf } });
  const addresses = informers.for(IPAddress);
  const deleting = (): string[] =>
    ranges
      .list()
      .filter(isDeleting)
      .map(({ metadata }) => metadata.name);
  await Promise.all([
    runController(
      {
        name: 'service-cidr',
        for: ranges,
        // A new range may hold what keeps another.
        watches: [watch(ranges, { added: deleting }), watch(services, { deleted: deleting })],
        reconcile: async (key) => {
          const range = ranges.get(key);
          if (!range) return;
          const others = ranges.list().filter((other) => other !== range && !isDeleting(other));
          const used = services.list().flatMap(addressesOf);
          await reconcileRange(client, range, isNeeded(range, others, used), new Date(clock.now()));
        },
      },
      context,
      signal,
    ),
    runController(
      {
        name: 'service-ip-address',
        for: addresses,
        watches: [
          watch(services, {
            added: addressesOf,
            updated: (old, service) => (isSame(old, service) ? [] : [...addressesOf(old), ...addressesOf(service)]),
            deleted: addressesOf,
          }),
        ],
        reconcile: async (address) =>
          reconcileAddress(client, address, services.byIndex('address', address)[0], addresses.get(address)),
      },
      context,
      signal,
    ),
  ]);
}

const isSame = (old: Service, service: Service): boolean => addressesOf(old).join() === addressesOf(service).join();

async function reconcileRange(
  client: Client,
  range: Persisted<ServiceCIDR>,
  isUsed: boolean,
  now: Date,
): Promise<void> {
  const { finalizers = [] } = range.metadata;
  const resource = client.of(ServiceCIDR);
  if (isDeleting(range) && !isUsed) return resource.removeFinalizer(range, FINALIZER);
  if (!isDeleting(range) && !finalizers.includes(FINALIZER)) {
    // The write comes back as a change of the range; its status follows then.
    return resource.addFinalizer(range, FINALIZER);
  }
  await resource.writeStatus(range, { ...range.status, conditions: conditionsOf(range, now) });
}

async function reconcileAddress(
  client: Client,
  address: string,
  service: Persisted<Service> | undefined,
  existing: Persisted<IPAddress> | undefined,
): Promise<void> {
  const resource = client.of(IPAddress);
  const parent = existing?.spec?.parentRef;
  const isOurs = Object.entries(MANAGED_BY).every(([key, value]) => existing?.metadata.labels?.[key] === value);
  const { name, namespace = '' } = service?.metadata ?? {};
  if (existing && service && parent?.name === name && parent?.namespace === namespace) return;
  if (existing && isOurs) await resource.deleteExactly(existing).catch(ignoreNotFound);
  if (!service || (existing && !isOurs)) return;
  const family = address.includes(':') ? 'IPv6' : 'IPv4';
  await resource.create({
    metadata: { name: address, labels: { 'ipaddress.kubernetes.io/ip-family': family, ...MANAGED_BY } },
    spec: { parentRef: { resource: 'services', namespace, name: service.metadata.name } },
  });
}

import { type Kind, Service, ServiceCIDR, type UnknownObject } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { builtinKinds } from '@vireo/api/kinds/index.ts';
import { type Client, ignoreAlreadyExists } from '@vireo/kube';
import type { Pki } from '../auth/pki.ts';
import { reconcileBootstrap } from '../rbac/bootstrap.ts';
import { apiVersionOf } from '../registry/resource.ts';
import { DEFAULT_SERVICE_CIDR, DEFAULT_SERVICE_CIDR_NAME, kubernetesServiceIp } from '../strategies/core/allocation.ts';
import type { Lookup } from '../strategies/strategy.ts';
import { bootstrapObjects, FRONT_PROXY_NAMES } from './objects.ts';

const RBAC = 'rbac.authorization.k8s.io';

export interface BootstrapSettings {
  readonly pki: Pki;
  /** Where nodes and guests reach the server. */
  readonly serverAddress: string;
  readonly port: number;
  readonly serviceCIDR?: string;
  readonly serviceCIDRv6?: string | undefined;
}

/**
 * Makes what every cluster has: namespaces, roles, priority classes, the `kubernetes` service. Existing objects stay, but for
 * the addresses of that Service, which are this server's.
 */
export async function bootstrap(
  client: Client,
  lookup: Lookup,
  { pki, serverAddress, port, serviceCIDR = DEFAULT_SERVICE_CIDR, serviceCIDRv6 }: BootstrapSettings,
): Promise<void> {
  const objects = bootstrapObjects({
    serverAddress,
    port,
    serviceCIDR,
    serviceCIDRv6,
    caPem: pki.ca.certPem,
    frontProxyCaPem: pki.frontProxyCa.certPem,
    frontProxyNames: FRONT_PROXY_NAMES,
  }) as UnknownObject[];
  await removeFormerRange(client, lookup, [serviceCIDR, ...(serviceCIDRv6 ? [serviceCIDRv6] : [])]);
  // Namespaces first: nothing can be made in one that is not there; nor a Service without a range for its address.
  const isFirst = ({ kind }: UnknownObject): boolean => kind === 'Namespace' || kind === 'ServiceCIDR';
  await Promise.all(objects.filter(isFirst).map((object) => ensure(client, lookup, object)));
  await Promise.all([
    ...objects.filter((object) => !isFirst(object)).map((object) => ensure(client, lookup, object)),
    bootstrapRbac(client, lookup),
  ]);
}

/** Makes room for the range that the server was given this time, and for the Service that has its first address. */
async function removeFormerRange(client: Client, lookup: Lookup, cidrs: readonly string[]): Promise<void> {
  const [serviceCIDR = DEFAULT_SERVICE_CIDR] = cidrs;
  const ranges = client.of(ServiceCIDR);
  const range = lookup.get('networking.k8s.io', 'servicecidrs', undefined, DEFAULT_SERVICE_CIDR_NAME);
  if (range && !deepEqual((range as unknown as ServiceCIDR).spec?.cidrs, cidrs)) {
    await ranges.patch(range.metadata.name, { metadata: { finalizers: null } }, { type: 'merge' });
    await ranges.delete(range.metadata.name);
  }
  const service = lookup.get('', 'services', 'default', 'kubernetes') as Service | undefined;
  if (service && service.spec?.clusterIP !== kubernetesServiceIp(serviceCIDR))
    await client.of(Service).delete('kubernetes', { namespace: 'default' });
}

async function ensure(client: Client, lookup: Lookup, object: UnknownObject): Promise<void> {
  const kind = kindOf(object);
  const { namespace, name = '' } = object.metadata;
  const resource = client.of<UnknownObject>(kind);
  const before = lookup.get(kind.group, kind.plural, namespace, name) as UnknownObject | undefined;
  if (!before) {
    await resource.create(object).catch(ignoreAlreadyExists);
    return;
  }
  if (!isOwnAddress(object)) return;
  const fields = ['subsets', 'addressType', 'endpoints', 'ports'] as const;
  if (fields.every((field) => deepEqual(before[field], object[field]))) return;
  await resource.delete(name, { ...(namespace && { namespace }) });
  await resource.create(object);
}

/** Whether an object says where this server is: with another address or port than last time, it has to say so. */
const isOwnAddress = ({ kind, metadata: { namespace, name } }: UnknownObject): boolean =>
  (kind === 'Endpoints' || kind === 'EndpointSlice') && namespace === 'default' && name === 'kubernetes';

async function bootstrapRbac(client: Client, lookup: Lookup): Promise<void> {
  const existing = ['clusterroles', 'clusterrolebindings', 'roles', 'rolebindings'].flatMap((resource) =>
    lookup.list(RBAC, resource),
  );
  const { creates, updates, replaces } = reconcileBootstrap(existing);
  await Promise.all([
    ...creates.map((object) => ensure(client, lookup, object as UnknownObject)),
    ...updates.map((object) => client.of<UnknownObject>(kindOf(object)).update(object as UnknownObject)),
    ...replaces.map(async (object) => {
      const resource = client.of<UnknownObject>(kindOf(object));
      const { name, namespace } = object.metadata;
      await resource.delete(name as string, { ...(namespace && { namespace }) });
      await resource.create(object as UnknownObject);
    }),
  ]);
}

function kindOf({ apiVersion, kind }: { apiVersion: string; kind: string }): Kind {
  const found = (builtinKinds as readonly Kind[]).find(
    (candidate) => candidate.kind === kind && apiVersionOf(candidate) === apiVersion,
  );
  if (!found) throw new TypeError(`${apiVersion} ${kind} is not a built-in kind`);
  return found;
}

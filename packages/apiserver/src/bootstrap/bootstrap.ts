import { type Kind, Service, ServiceCIDR, type UnknownObject } from '@vireo/api';
import { builtinKinds } from '@vireo/api/kinds/index.ts';
import { type Client, ignoreAlreadyExists } from '@vireo/kube';
import type { Pki } from '../auth/pki.ts';
import { reconcileBootstrap } from '../rbac/bootstrap.ts';
import { apiVersionOf } from '../registry/resource.ts';
import { DEFAULT_SERVICE_CIDR, DEFAULT_SERVICE_CIDR_NAME, kubernetesServiceIp } from '../strategies/core/allocation.ts';
import type { Lookup } from '../strategies/strategy.ts';
import { bootstrapObjects, FRONT_PROXY_NAMES } from './objects.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Makes what every cluster has: namespaces, roles, priority classes, the `kubernetes` service. Existing objects stay. */
export async function bootstrap(
  client: Client,
  lookup: Lookup,
  { pki, port, serviceCIDR = DEFAULT_SERVICE_CIDR }: { pki: Pki; port: number; serviceCIDR?: string },
): Promise<void> {
  const objects = bootstrapObjects({
    serverAddress: '127.0.0.1',
    port,
    serviceCIDR,
    caPem: pki.ca.certPem,
    frontProxyCaPem: pki.frontProxyCa.certPem,
    frontProxyNames: FRONT_PROXY_NAMES,
  }) as UnknownObject[];
  await removeFormerRange(client, lookup, serviceCIDR);
  // Namespaces first: nothing can be made in one that is not there; nor a Service without a range for its address.
  const isFirst = ({ kind }: UnknownObject): boolean => kind === 'Namespace' || kind === 'ServiceCIDR';
  await Promise.all(objects.filter(isFirst).map((object) => ensure(client, lookup, object)));
  await Promise.all([
    ...objects.filter((object) => !isFirst(object)).map((object) => ensure(client, lookup, object)),
    bootstrapRbac(client, lookup),
  ]);
}

/** Makes room for the range that the server was given this time, and for the Service that has its first address. */
async function removeFormerRange(client: Client, lookup: Lookup, serviceCIDR: string): Promise<void> {
  const ranges = client.of(ServiceCIDR);
  const range = lookup.get('networking.k8s.io', 'servicecidrs', undefined, DEFAULT_SERVICE_CIDR_NAME);
  if (range && (range as unknown as ServiceCIDR).spec?.cidrs?.[0] !== serviceCIDR) {
    await ranges.patch(range.metadata.name, { metadata: { finalizers: null } }, { type: 'merge' });
    await ranges.delete(range.metadata.name);
  }
  const service = lookup.get('', 'services', 'default', 'kubernetes') as Service | undefined;
  if (service && service.spec?.clusterIP !== kubernetesServiceIp(serviceCIDR))
    await client.of(Service).delete('kubernetes', { namespace: 'default' });
}

async function ensure(client: Client, lookup: Lookup, object: UnknownObject): Promise<void> {
  const kind = kindOf(object);
  if (lookup.get(kind.group, kind.plural, object.metadata.namespace, object.metadata.name as string)) return;
  await client.of<UnknownObject>(kind).create(object).catch(ignoreAlreadyExists);
}

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

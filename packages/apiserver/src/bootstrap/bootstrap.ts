import type { Kind, UnknownObject } from '@vireo/api';
import { builtinKinds } from '@vireo/api/kinds/index.ts';
import { type Client, ignoreAlreadyExists } from '@vireo/kube';
import type { Pki } from '../auth/pki.ts';
import { reconcileBootstrap } from '../rbac/bootstrap.ts';
import { apiVersionOf } from '../registry/resource.ts';
import type { Lookup } from '../strategies/strategy.ts';
import { bootstrapObjects, FRONT_PROXY_NAMES } from './objects.ts';

const RBAC = 'rbac.authorization.k8s.io';

/** Makes what every cluster has: namespaces, roles, priority classes, the `kubernetes` service. Existing objects stay. */
export async function bootstrap(
  client: Client,
  lookup: Lookup,
  { pki, port }: { pki: Pki; port: number },
): Promise<void> {
  const objects = bootstrapObjects({
    serverAddress: '127.0.0.1',
    port,
    caPem: pki.ca.certPem,
    frontProxyCaPem: pki.frontProxyCa.certPem,
    frontProxyNames: FRONT_PROXY_NAMES,
  }) as UnknownObject[];
  // Namespaces first: nothing can be made in one that is not there.
  await Promise.all(objects.filter(({ kind }) => kind === 'Namespace').map((object) => ensure(client, lookup, object)));
  await Promise.all([
    ...objects.filter(({ kind }) => kind !== 'Namespace').map((object) => ensure(client, lookup, object)),
    bootstrapRbac(client, lookup),
  ]);
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

import {
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  type Kind,
  type KubeObject,
  MutatingWebhookConfiguration,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { type Client, ignoreNotFound, keyOf } from '@vireo/kube';
import { MANAGED_BY } from './objects.ts';

/** What of an installation may go when a later version no longer has it. Kinds and what users have made stay. */
const PRUNED: readonly Kind[] = [
  ValidatingWebhookConfiguration,
  MutatingWebhookConfiguration,
  APIService,
  Service,
  RoleBinding,
  Role,
  ClusterRoleBinding,
  ClusterRole,
  ServiceAccount,
];

const SELECTOR = Object.entries(MANAGED_BY)
  .map(([name, value]) => `${name}=${value}`)
  .join();

/** Deletes what an earlier version has installed and `wanted` does not have. */
export async function pruneFormerObjects(client: Client, wanted: readonly KubeObject[]): Promise<void> {
  await deleteInstalled(client, PRUNED, new Set(wanted.map((object) => `${object.kind} ${keyOf(object)}`)));
}

/** Deletes what was installed of these kinds, one kind after another, but for what is kept (`KIND NAMESPACE/NAME`). */
export async function deleteInstalled(
  client: Client,
  kinds: readonly Kind[],
  kept: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const kind of kinds) {
    const { items } = await client.of<KubeObject>(kind).list({ labelSelector: SELECTOR });
    for (const object of items) {
      if (kept.has(`${kind.kind} ${keyOf(object)}`)) continue;
      const { name, namespace } = object.metadata;
      await client
        .of<KubeObject>(kind)
        .delete(name, namespace ? { namespace } : {})
        .catch(ignoreNotFound);
    }
  }
}

/** The kinds whose installed objects an uninstallation deletes, in its order: nobody is asked who is gone already. */
export const UNINSTALLED: readonly Kind[] = PRUNED;

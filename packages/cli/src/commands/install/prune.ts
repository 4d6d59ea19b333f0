import {
  APIService,
  ClusterRole,
  ClusterRoleBinding,
  ConfigMap,
  type Kind,
  type KubeObject,
  MutatingWebhookConfiguration,
  Role,
  RoleBinding,
  Service,
  ServiceAccount,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { type Client, ignoreNotFound, keyOf } from '@vireo/kube';
import { MANAGED_BY } from './objects.ts';

/**
 * The kinds whose objects are deleted by an uninstallation, in its order, and by an upgrade to a version that no longer
 * has them. The server asks nobody who is gone already, and the policies limit nodes for as long as nodes have rights.
 */
export const INSTALLED_KINDS: readonly Kind[] = [
  ValidatingWebhookConfiguration,
  MutatingWebhookConfiguration,
  APIService,
  Service,
  RoleBinding,
  Role,
  ClusterRoleBinding,
  ClusterRole,
  ServiceAccount,
  ValidatingAdmissionPolicyBinding,
  ValidatingAdmissionPolicy,
];

const SELECTOR = Object.entries(MANAGED_BY)
  .map(([name, value]) => `${name}=${value}`)
  .join();

/** Deletes what an earlier version has installed and `wanted` does not have. */
export async function pruneFormerObjects(client: Client, wanted: readonly KubeObject[]): Promise<void> {
  await deleteInstalled(client, INSTALLED_KINDS, new Set(wanted.map((object) => `${object.kind} ${keyOf(object)}`)));
}

/** Deletes what was installed of these kinds, one kind after another, but for what is kept (`KIND NAMESPACE/NAME`). */
export async function deleteInstalled(
  client: Client,
  kinds: readonly Kind[],
  kept: ReadonlySet<string> = new Set(),
): Promise<void> {
  for (const kind of kinds) {
    // Servers before 1.30 do not serve policies.
    const list = await client.of<KubeObject>(kind).list({ labelSelector: SELECTOR }).catch(ignoreNotFound);
    for (const object of list?.items ?? []) {
      if (kept.has(`${kind.kind} ${keyOf(object)}`)) continue;
      const { name, namespace } = object.metadata;
      await client
        .of<KubeObject>(kind)
        .delete(name, namespace ? { namespace } : {})
        .catch(ignoreNotFound);
    }
  }
}

/** The kinds whose installed objects an uninstallation deletes: the network of a cluster outlives an upgrade that does not name it. */
export const UNINSTALLED: readonly Kind[] = [...INSTALLED_KINDS, ConfigMap];

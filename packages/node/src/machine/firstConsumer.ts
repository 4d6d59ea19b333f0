import { isReason, type KubeObject, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { SELECTED_NODE } from '@vireo/api/kinds/core/volumeNames.ts';
import type { ResourceClient } from '@vireo/kube';
import type { NodeContext } from '../context.ts';

/**
 * What is plugged into a machine that runs is in no pod that a scheduler would place: where a claim waits for its first
 * consumer, that is this machine, and the volume is to be on its node.
 */
export async function beFirstConsumer(
  { namespace, name }: { readonly namespace: string | undefined; readonly name: string },
  { client, host }: Pick<NodeContext, 'client' | 'host'>,
): Promise<void> {
  const claims = client.of(PersistentVolumeClaim);
  const claim = await find(claims, name, namespace);
  if (!claim || claim.spec?.volumeName || claim.metadata.annotations?.[SELECTED_NODE] !== undefined) return;
  const storageClass = await find(client.of(StorageClass), claim.spec?.storageClassName ?? '');
  if (storageClass?.volumeBindingMode !== 'WaitForFirstConsumer') return;
  const metadata = { uid: claim.metadata.uid, annotations: { [SELECTED_NODE]: host.name } };
  await claims.patch(name, { metadata }, { namespace, type: 'merge' });
}

async function find<T extends KubeObject>(
  resource: ResourceClient<T>,
  name: string,
  namespace?: string,
): Promise<T | undefined> {
  if (name === '') return undefined;
  try {
    return await resource.get(name, { namespace });
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

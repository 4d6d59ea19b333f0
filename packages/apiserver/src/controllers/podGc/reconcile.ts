import { isReason, Node, Pod, timestamp } from '@vireo/api';
import type { Client } from '@vireo/kube';

/** Removes the pods of a node, unless the API knows the node after all. */
export async function removePodsOf(nodeName: string, pods: readonly Pod[], client: Client): Promise<void> {
  if (pods.length === 0 || (await exists(nodeName, client))) return;
  for (const pod of pods) await remove(pod, client);
}

async function exists(nodeName: string, client: Client): Promise<boolean> {
  try {
    await client.of(Node).get(nodeName);
    return true;
  } catch (error) {
    if (isReason(error, 'NotFound')) return false;
    throw error;
  }
}

/** Nobody is left to end the pod, so it is marked as failed, for those who count it, and goes without grace. */
async function remove({ metadata, status }: Pod, client: Client): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  try {
    if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      await client
        .of(Pod)
        .patchStatus(name, { metadata: { uid }, status: failedStatus() }, { namespace, type: 'strategic' });
    await client.of(Pod).delete(name, { namespace, gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
}

const failedStatus = (): Pod['status'] => ({
  phase: 'Failed',
  conditions: [
    {
      type: 'DisruptionTarget',
      status: 'True',
      reason: 'DeletionByPodGC',
      message: 'PodGC: node no longer exists',
      lastTransitionTime: timestamp(),
    },
  ],
});

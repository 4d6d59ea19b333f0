import { Node, Pod, timestamp } from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';

/** Removes the pods of a node, unless the API knows the node after all. */
export async function removePodsOf(nodeName: string, pods: readonly Pod[], client: Client): Promise<void> {
  if (pods.length === 0 || (await client.of(Node).find(nodeName))) return;
  for (const pod of pods) await remove(pod, client);
}

/** Nobody is left to end the pod, so it is marked as failed, for those who count it, and goes without grace. */
async function remove({ metadata, status }: Pod, client: Client): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  const pods = client.of(Pod);
  try {
    if (status?.phase !== 'Succeeded' && status?.phase !== 'Failed')
      await pods.patchStatus(name, { metadata: { uid }, status: failedStatus() }, { namespace, type: 'strategic' });
    await pods.delete(name, { namespace, gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    ignoreNotFound(error);
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

import { Node, type Persisted, Pod, timestamp } from '@vireo/api';
import { type Client, ignoreNotFound } from '@vireo/kube';

/** Removes the pods of a node, unless the API knows the node after all. */
export async function removePodsOf(nodeName: string, pods: readonly Persisted<Pod>[], client: Client): Promise<void> {
  if (pods.length === 0 || (await client.of(Node).find(nodeName))) return;
  for (const pod of pods) await remove(pod, client);
}

/** Nobody is left to end the pod, so it is marked as failed, for those who count it, and goes without grace. */
async function remove(pod: Persisted<Pod>, client: Client): Promise<void> {
  const { phase } = pod.status ?? {};
  const pods = client.of(Pod);
  const options = { type: 'strategic', subresource: 'status' } as const;
  if (phase !== 'Succeeded' && phase !== 'Failed')
    await pods.patchExactly(pod, { status: failedStatus() }, options).catch(ignoreNotFound);
  await pods.deleteExactly(pod, { gracePeriodSeconds: 0 }).catch(ignoreNotFound);
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

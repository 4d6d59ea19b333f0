import { isReason, type Node, Node as NodeKind, Pod, timestamp } from '@vireo/api';
import type { Client, Result } from '@vireo/kube';
import type { Recorder } from '../context.ts';
import { isFinal, Vmi } from '../kinds.ts';
import { SCHEDULABLE_LABEL } from '../wellKnown.ts';

const REASON = 'NodeUnresponsive';
const AGAIN_MS = 60_000;

/** All that is known of one node. */
export interface NodeState {
  readonly node: Node;
  /** Until when it counts as alive; undefined for one that runs no machines. */
  readonly aliveUntilMs: number | undefined;
  /** The instances on it. */
  readonly vmis: readonly Vmi[];
  /** Their launchers. */
  readonly pods: readonly Pod[];
  readonly now: Date;
}

/** Closes a node that has fallen silent, and gives up what ran on it. Says when it would have to be looked at again. */
export async function reconcileNode(state: NodeState, client: Client, recorder: Recorder): Promise<Result | undefined> {
  const { node, aliveUntilMs, vmis, pods, now } = state;
  if (aliveUntilMs === undefined) return undefined;
  if (aliveUntilMs > now.getTime()) return { requeueAfterMs: aliveUntilMs - now.getTime() };
  if (node.metadata.labels?.[SCHEDULABLE_LABEL] !== 'false') await close(node, client, recorder);
  for (const vmi of vmis) if (!isFinal(vmi)) await giveUp(vmi, node, now, client, recorder);
  for (const pod of pods) await remove(pod, client);
  // What was on its way to the node when it fell silent arrives later.
  return { requeueAfterMs: AGAIN_MS };
}

async function close(node: Node, client: Client, recorder: Recorder): Promise<void> {
  const labels = { [SCHEDULABLE_LABEL]: 'false' };
  await client.of(NodeKind).patch(node.metadata.name ?? '', { metadata: { labels } }, { type: 'merge' });
  recorder.event(node, 'Warning', REASON, 'Virt-handler is not responsive.');
}

async function giveUp(vmi: Vmi, { metadata }: Node, now: Date, client: Client, recorder: Recorder): Promise<void> {
  const { name = '', namespace, resourceVersion } = vmi.metadata;
  const failed = { phase: 'Failed', phaseTransitionTimestamp: timestamp(now) };
  const phaseTransitionTimestamps = [...(vmi.status?.phaseTransitionTimestamps ?? []), failed];
  const status = { phase: 'Failed', reason: REASON, phaseTransitionTimestamps };
  await client.of(Vmi).patch(name, { metadata: { resourceVersion }, status }, { namespace, type: 'merge' });
  const message = `virt-handler on node ${metadata.name} is not responsive, marking VMI as failed`;
  recorder.event(vmi, 'Warning', REASON, message);
}

/** At once: whoever would end the pod in order does not answer. */
async function remove({ metadata }: Pod, client: Client): Promise<void> {
  const { name = '', namespace, uid } = metadata;
  try {
    await client.of(Pod).delete(name, { namespace, gracePeriodSeconds: 0, preconditions: { uid } });
  } catch (error) {
    if (!isReason(error, 'NotFound')) throw error;
  }
}

import { type Node, Node as NodeKind, type Persisted, Pod, timestamp } from '@vireo/api';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFound, type Recorder, type Result } from '@vireo/kube';

const REASON = 'NodeUnresponsive';
const RECHECK_MS = 60_000;

/** All that is known of one node. */
export interface NodeState {
  readonly node: Persisted<Node>;
  /** Until when it counts as alive; undefined for one that runs no VMs. */
  readonly heartbeatExpiresAtMs: number | undefined;
  /** The VMIs on it. */
  readonly vmis: readonly Vmi[];
  /** Their launchers and attachment pods. */
  readonly pods: readonly Persisted<Pod>[];
  readonly now: Date;
}

/** Closes a node that has fallen silent, and gives up what ran on it. Says when it would have to be looked at again. */
export async function reconcileNode(state: NodeState, client: Client, recorder: Recorder): Promise<Result | undefined> {
  const { node, heartbeatExpiresAtMs, vmis, pods, now } = state;
  if (heartbeatExpiresAtMs === undefined) return undefined;
  if (heartbeatExpiresAtMs > now.getTime()) return { requeueAfterMs: heartbeatExpiresAtMs - now.getTime() };
  if (node.metadata.labels?.[SCHEDULABLE_LABEL] !== 'false') await close(node, client, recorder);
  const why = `virt-handler on node ${node.metadata.name} is not responsive, marking VMI as failed`;
  for (const vmi of vmis) if (!isFinal(vmi)) await failVmi(vmi, REASON, why, now, client, recorder);
  for (const pod of pods) await remove(pod, client);
  // What was on its way to the node when it fell silent arrives later.
  return { requeueAfterMs: RECHECK_MS };
}

/** How long a node may be missing: one whose agent lives is back by then, and its guests are well. */
export const MISSING_MS = 30_000;

/** What is left of a node that is not there any more. */
export interface MissingNode extends Pick<NodeState, 'vmis' | 'pods' | 'now'> {
  readonly name: string;
  /** Since when we have missed it. */
  readonly sinceMs: number;
}

/** Gives up what ran on a node that was removed. Says when it would have to be looked at again. */
export async function reconcileMissing(
  { name, vmis, pods, sinceMs, now }: MissingNode,
  client: Client,
  recorder: Recorder,
): Promise<Result | undefined> {
  if (vmis.every(isFinal) && pods.length === 0) return undefined;
  const waitMs = sinceMs + MISSING_MS - now.getTime();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  const why = `node ${name} no longer exists, marking VMI as failed`;
  for (const vmi of vmis) if (!isFinal(vmi)) await failVmi(vmi, 'NodeRemoved', why, now, client, recorder);
  for (const pod of pods) await remove(pod, client);
  return { requeueAfterMs: RECHECK_MS };
}

async function close(node: Persisted<Node>, client: Client, recorder: Recorder): Promise<void> {
  const labels = { [SCHEDULABLE_LABEL]: 'false' };
  await client.of(NodeKind).patch(node.metadata.name, { metadata: { labels } }, { type: 'merge' });
  recorder.event(node, 'Warning', REASON, 'Virt-handler is not responsive.');
}

async function failVmi(
  vmi: Vmi,
  reason: string,
  message: string,
  now: Date,
  client: Client,
  recorder: Recorder,
): Promise<void> {
  const failed = { phase: 'Failed', phaseTransitionTimestamp: timestamp(now) };
  const phaseTransitionTimestamps = [...(vmi.status?.phaseTransitionTimestamps ?? []), failed];
  const status = { phase: 'Failed', reason, phaseTransitionTimestamps };
  await client.of(Vmi).patchIfUnchanged(vmi, { status });
  recorder.event(vmi, 'Warning', reason, message);
}

/** At once: whoever would end the pod in order does not answer. */
async function remove(pod: Persisted<Pod>, client: Client): Promise<void> {
  await client.of(Pod).deleteExactly(pod, { gracePeriodSeconds: 0 }).catch(ignoreNotFound);
}

import { isDeleting, type Node, Node as NodeKind, type Persisted, Pod, timestamp } from '@vireo/api';
import { ASKED_TARGET_ANNOTATION, GUEST_MAY_HAVE_MOVED, isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFound, type Recorder } from '@vireo/kube';
import type { NodeDecision } from './decide.ts';
import { movingText } from './moving.ts';

type GiveUp = Extract<NodeDecision, { action: 'giveUp' }>;
type Unknown = Extract<NodeDecision, { action: 'markUnknown' }>;

/** The writes of the controller of nodes. */
export interface NodeActions {
  /** No new VMs go there. */
  closeNode(node: Persisted<Node>): Promise<void>;
  recordNode(node: Persisted<Node>, decision: NodeDecision, silentMs: number): void;
  markUnknown(vmi: Vmi, node: string, decision: Unknown, now: Date): Promise<void>;
  /** Says that a guest whose node was given up may be at the target of its migration. */
  markMoving(vmi: Vmi, node: string, now: Date): Promise<void>;
  /** Has a target that reports end the pod of a migration; the answer is that the pod goes, or that the guest is taken over. */
  askTarget(vmi: Vmi, pod: Persisted<Pod>): Promise<void>;
  /** The target no longer reports: what becomes of its pod from now on is no answer. */
  withdrawQuestion(vmi: Vmi): Promise<void>;
  /** Says that a guest does not run at the target of its migration, and will not by this migration. */
  giveUpTarget(vmi: Vmi, decision: Pick<GiveUp, 'reason' | 'why'>): Promise<void>;
  failVmi(vmi: Vmi, reason: string, message: string, now: Date): Promise<void>;
  /** At once: whoever would end the pod in order does not answer. */
  removePod(pod: Persisted<Pod>): Promise<void>;
}

export function nodeActions(client: Client, recorder: Recorder): NodeActions {
  /** Every phase has one time: of `Unknown` that is the last, of all others the first. */
  const setPhase = async (vmi: Vmi, phase: string, reason: string, now: Date): Promise<void> => {
    const reached = { phase, phaseTransitionTimestamp: timestamp(now) };
    const others = (vmi.status?.phaseTransitionTimestamps ?? []).filter((each) => each.phase !== phase);
    const status = { phase, reason, phaseTransitionTimestamps: [...others, reached] };
    await client.of(Vmi).patchIfUnchanged(vmi, { status });
  };
  return {
    async closeNode({ metadata: { name } }) {
      const labels = { [SCHEDULABLE_LABEL]: 'false' };
      await client.of(NodeKind).patch(name, { metadata: { labels } }, { type: 'merge' });
    },
    recordNode(node, decision, silentMs) {
      const { name } = node.metadata;
      if (decision.action === 'markUnknown') {
        const message =
          `node ${name} has been unreachable for ${Math.floor(silentMs / 1000)} s: it is unknown whether its guests are ` +
          `running, so they are neither stopped nor started elsewhere. ${decision.untilText}`;
        recorder.event(node, 'Warning', decision.reason, message);
      } else if (decision.action === 'giveUp') {
        const what = 'its VMIs fail, and their VMs start elsewhere';
        recorder.event(node, 'Warning', decision.reason, `${decision.why}: ${what}`);
      }
    },
    async markUnknown(vmi, node, { reason, untilText }, now) {
      await setPhase(vmi, 'Unknown', reason, now);
      const what = reason === 'NodeRemoved' ? 'no longer exists' : 'is unreachable';
      const message =
        `node ${node} ${what}: it is unknown whether the guest is running, so it is neither stopped nor started ` +
        `elsewhere. ${untilText}`;
      recorder.event(vmi, 'Warning', reason, message);
    },
    async markMoving(vmi, node, now) {
      // Since when it is unknown where the guest is stays the same.
      if (isUnknown(vmi)) await client.of(Vmi).patchIfUnchanged(vmi, { status: { reason: GUEST_MAY_HAVE_MOVED } });
      else await setPhase(vmi, 'Unknown', GUEST_MAY_HAVE_MOVED, now);
      const message = movingText(node, vmi);
      recorder.event(vmi, 'Warning', GUEST_MAY_HAVE_MOVED, message);
      const { namespace, name } = vmi.metadata;
      // As kubelets name their nodes in events.
      const reference = { apiVersion: 'v1', kind: NodeKind.kind, metadata: { name: node, uid: node } };
      recorder.event(reference, 'Warning', GUEST_MAY_HAVE_MOVED, `VMI ${namespace}/${name}: ${message}`);
    },
    async askTarget(vmi, pod) {
      const { migrationUid = '', targetNode } = vmi.status?.migrationState ?? {};
      const annotations = vmi.metadata.annotations ?? {};
      if (annotations[ASKED_TARGET_ANNOTATION] !== migrationUid) {
        await client
          .of(Vmi)
          .patchIfUnchanged(vmi, { metadata: { annotations: { [ASKED_TARGET_ANNOTATION]: migrationUid } } });
        const message = `node ${targetNode} is asked whether the guest has arrived there: pod ${pod.metadata.name} is deleted`;
        recorder.event(vmi, 'Normal', 'MigrationTargetAsked', message);
      }
      if (!isDeleting(pod)) await client.of(Pod).deleteExactly(pod).catch(ignoreNotFound);
    },
    async withdrawQuestion(vmi) {
      await client.of(Vmi).patchIfUnchanged(vmi, { metadata: { annotations: { [ASKED_TARGET_ANNOTATION]: null } } });
    },
    async giveUpTarget(vmi, { reason, why }) {
      await client.of(Vmi).patchIfUnchanged(vmi, { status: { migrationState: { failureReason: why } } });
      recorder.event(vmi, 'Warning', reason, `${why}: the guest does not arrive there`);
    },
    async failVmi(vmi, reason, message, now) {
      await setPhase(vmi, 'Failed', reason, now);
      recorder.event(vmi, 'Warning', reason, message);
    },
    async removePod(pod) {
      await client.of(Pod).deleteExactly(pod, { gracePeriodSeconds: 0 }).catch(ignoreNotFound);
    },
  };
}

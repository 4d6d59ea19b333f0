import { type Node, Node as NodeKind, type Persisted, Pod, timestamp } from '@vireo/api';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, ignoreNotFound, type Recorder } from '@vireo/kube';
import type { NodeDecision } from './decide.ts';

type Unknown = Extract<NodeDecision, { action: 'markUnknown' }>;

/** The writes of the controller of nodes. */
export interface NodeActions {
  /** No new VMs go there. */
  closeNode(node: Persisted<Node>): Promise<void>;
  recordNode(node: Persisted<Node>, decision: NodeDecision, silentMs: number): void;
  markUnknown(vmi: Vmi, node: string, decision: Unknown, now: Date): Promise<void>;
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
    async failVmi(vmi, reason, message, now) {
      await setPhase(vmi, 'Failed', reason, now);
      recorder.event(vmi, 'Warning', reason, message);
    },
    async removePod(pod) {
      await client.of(Pod).deleteExactly(pod, { gracePeriodSeconds: 0 }).catch(ignoreNotFound);
    },
  };
}

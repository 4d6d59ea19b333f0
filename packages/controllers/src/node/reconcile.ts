import { isReason, Lease, Node, type Persisted, type Pod } from '@vireo/api';
import { GUEST_MAY_HAVE_MOVED, isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { isMovingTo, isTargetGivenUp, mayBeAtTarget } from '@vireo/api/kinds/kubevirt/migration.ts';
import { HEARTBEAT_ANNOTATION, SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { isFinal, isHandedOver, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client, Log, Result } from '@vireo/kube';
import type { NodeActions } from './act.ts';
import { decideNode, type NodeDecision, untilText } from './decide.ts';
import { decideMoving, observeTarget } from './moving.ts';
import { LEASES, LOOK_MS, quietMsOf, type Silences, signOfLife } from './silence.ts';

const RECHECK_MS = 60_000;
/** How long a node may be missing: one whose agent lives is back by then. */
export const MISSING_MS = 30_000;

/** What is on a node. */
export interface OnNode {
  /** VMIs that the node has or had. */
  readonly vmis: readonly Vmi[];
  /** VMIs that the node is or was to get from others. */
  readonly arriving: readonly Vmi[];
  /** Their launchers and attachment pods. */
  readonly pods: readonly Persisted<Pod>[];
  /** The VMI that a launcher is for. */
  readonly vmiOf: (pod: Persisted<Pod>) => Vmi | undefined;
}

/** What a controller acts with. */
export interface Means {
  readonly client: Client;
  readonly act: NodeActions;
  readonly log: Pick<Log, 'warn'>;
  readonly now: Date;
}

/** Sees to the VMIs of a node that has fallen silent. Says when it would have to be looked at again. */
export async function reconcileNode(
  { node, lease, ...on }: OnNode & { readonly node: Persisted<Node>; readonly lease: Lease | undefined },
  silences: Silences,
  means: Means,
): Promise<Result | undefined> {
  const { client, act, now } = means;
  const { cached, confirmed } = silences;
  const { name } = node.metadata;
  if (node.metadata.annotations?.[HEARTBEAT_ANNOTATION] === undefined) return undefined;
  const quietMs = cached.look(name, signOfLife(node, lease), now.getTime());
  const remainingMs = quietMsOf(node, lease) - quietMs;
  if (remainingMs > 0) {
    confirmed.forget(name);
    return { requeueAfterMs: remainingMs };
  }
  // The cache may be behind, and so may a server that answers from one.
  const [current, currentLease] = await Promise.all([
    client.of(Node).find(name),
    client.of(Lease).find(name, { namespace: LEASES }),
  ]);
  if (!current) return { requeueAfterMs: LOOK_MS };
  const silentMs = confirmed.look(name, signOfLife(current, currentLease), now.getTime());
  const decision = decideNode({ node: current, lease: currentLease, silentMs });
  if (decision.action === 'trust') return { requeueAfterMs: LOOK_MS };
  if (current.metadata.labels?.[SCHEDULABLE_LABEL] !== 'false') await act.closeNode(current);
  const isGone = (vmi: Vmi): Promise<boolean> => settleMoving(vmi, name, silences, means);
  const { isChanged, isIncomplete } = await carryOut(decision, name, { ...on, isGone }, means);
  if (isChanged) act.recordNode(current, decision, silentMs);
  if (isIncomplete) return { requeueAfterMs: LOOK_MS };
  // A policy is waited for second by second; without one, what was on its way to the node arrives later.
  const isCounting = decision.action === 'markUnknown' && decision.isCounting;
  return { requeueAfterMs: isCounting ? LOOK_MS : RECHECK_MS };
}

/** Sees to the VMIs of a node that was removed. Says when it would have to be looked at again. */
export async function reconcileMissing(
  { name, sinceMs, ...on }: OnNode & { readonly name: string; readonly sinceMs: number },
  means: Means,
): Promise<Result | undefined> {
  const { client, now } = means;
  if (on.vmis.every(isFinal) && on.pods.length === 0) return undefined;
  const waitMs = sinceMs + MISSING_MS - now.getTime();
  if (waitMs > 0) return { requeueAfterMs: waitMs };
  if (await client.of(Node).find(name)) return { requeueAfterMs: LOOK_MS };
  const decision = {
    action: 'markUnknown',
    reason: 'NodeRemoved',
    untilText: untilText(name),
    isCounting: false,
  } as const;
  const { isIncomplete } = await carryOut(decision, name, { ...on, isGone: async () => false }, means);
  return { requeueAfterMs: isIncomplete ? LOOK_MS : RECHECK_MS };
}

/** Whether a guest that was moving when its node was given up is not at the target either; one step towards the answer. */
async function settleMoving(vmi: Vmi, node: string, silences: Silences, means: Means): Promise<boolean> {
  const { act, now } = means;
  const decision = decideMoving(vmi, await observeTarget(vmi, silences, means));
  if (decision.action === 'giveUp') return true;
  // The node that is asked is to know that it is unknown where the guest is: it does not end the guest with its pod.
  if (vmi.status?.reason !== GUEST_MAY_HAVE_MOVED || !isUnknown(vmi)) await act.markMoving(vmi, node, now);
  else if (decision.action === 'ask') await act.askTarget(vmi, decision.pod);
  else if (decision.action === 'withdraw') await act.withdrawQuestion(vmi);
  return false;
}

/** Whether it changed anything, and whether something is not done yet and is to be tried again. */
async function carryOut(
  decision: Exclude<NodeDecision, { action: 'trust' }>,
  node: string,
  { vmis, arriving, pods, vmiOf, isGone }: OnNode & { readonly isGone: (vmi: Vmi) => Promise<boolean> },
  { act, log, now }: Means,
): Promise<{ readonly isChanged: boolean; readonly isIncomplete: boolean }> {
  let isChanged = false;
  /** By uid: what could not be written, and VMIs whose guests may be elsewhere. */
  const unsettled = new Set<string>();
  /** One object that cannot be written keeps nobody from the others. Whether it was. */
  const attempt = async (object: Vmi | Persisted<Pod>, write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (error) {
      unsettled.add(object.metadata.uid);
      // One that has just changed is looked at again.
      if (!isReason(error, 'Conflict', 'NotFound'))
        log.warn('cannot write an object of a node that is unreachable', object, { error, node });
      return false;
    }
  };
  const setPhase = async (vmi: Vmi, write: () => Promise<void>): Promise<void> => {
    if (await attempt(vmi, write)) isChanged = true;
  };
  for (const vmi of vmis) {
    if (isFinal(vmi) || (decision.action === 'markUnknown' && isUnknown(vmi))) continue;
    if (decision.action === 'markUnknown') {
      await setPhase(vmi, () => act.markUnknown(vmi, node, decision, now));
      continue;
    }
    // A target that was given up has not got the guest, whatever has become of that node since.
    let isElsewhere = mayBeAtTarget(vmi) && !isTargetGivenUp(vmi);
    if (isElsewhere)
      await attempt(vmi, async () => {
        isElsewhere = !(await isGone(vmi));
      });
    if (isElsewhere) unsettled.add(vmi.metadata.uid);
    else await setPhase(vmi, () => act.failVmi(vmi, decision.reason, `${decision.why}: the VMI has failed`, now));
  }
  // Their sources wait for a word of this node, maybe with the guest standing still.
  if (decision.action === 'giveUp')
    for (const vmi of arriving)
      if (isMovingTo(node, vmi) && !isFinal(vmi)) await attempt(vmi, () => act.giveUpTarget(vmi, decision));
  for (const pod of pods) {
    const vmi = vmiOf(pod);
    if (vmi && !isHandedOver(vmi) && !isFinal(vmi) && !unsettled.has(vmi.metadata.uid)) {
      // Its guest is not started before it is handed over, and now it never is.
      const why = `node ${node} is unreachable, and the guest had not been started there`;
      await setPhase(vmi, () => act.failVmi(vmi, decision.reason, why, now));
    }
    // What has ended needs nobody's confirmation.
    const isOver = decision.action === 'giveUp' || (vmi !== undefined && (isFinal(vmi) || !isHandedOver(vmi)));
    if (isOver && !(vmi && unsettled.has(vmi.metadata.uid))) await attempt(pod, () => act.removePod(pod));
  }
  return { isChanged, isIncomplete: unsettled.size > 0 };
}

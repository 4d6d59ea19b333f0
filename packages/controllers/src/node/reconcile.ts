import { isReason, Lease, Node, type Persisted, type Pod } from '@vireo/api';
import { isUnknown } from '@vireo/api/kinds/kubevirt/fencing.ts';
import { HEARTBEAT_ANNOTATION, SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { isFinal, isHandedOver, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client, Log, Result } from '@vireo/kube';
import type { NodeActions } from './act.ts';
import { decideNode, type NodeDecision, untilText } from './decide.ts';
import { LOOK_MS, quietMsOf, type Silence, signOfLife } from './silence.ts';

export const LEASES = 'kube-node-lease';
const RECHECK_MS = 60_000;
/** How long a node may be missing: one whose agent lives is back by then. */
export const MISSING_MS = 30_000;

/** What is on a node. */
export interface OnNode {
  /** VMIs that the node has or had. */
  readonly vmis: readonly Vmi[];
  /** Their launchers and attachment pods. */
  readonly pods: readonly Persisted<Pod>[];
  /** The VMI that a launcher is for. */
  readonly vmiOf: (pod: Persisted<Pod>) => Vmi | undefined;
}

/** What a controller remembers of silences. */
export interface Silences {
  /** As the cache shows them. */
  readonly cached: Silence;
  /** As the server, asked again and again, has confirmed them. */
  readonly confirmed: Silence;
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
  { cached, confirmed }: Silences,
  means: Means,
): Promise<Result | undefined> {
  const { client, act, now } = means;
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
  const { isChanged, isIncomplete } = await carryOut(decision, name, on, means);
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
  const { isIncomplete } = await carryOut(decision, name, on, means);
  return { requeueAfterMs: isIncomplete ? LOOK_MS : RECHECK_MS };
}

/** Whether it changed anything, and whether something could not be written and is to be tried again. */
async function carryOut(
  decision: Exclude<NodeDecision, { action: 'trust' }>,
  node: string,
  { vmis, pods, vmiOf }: OnNode,
  { act, log, now }: Means,
): Promise<{ readonly isChanged: boolean; readonly isIncomplete: boolean }> {
  let isChanged = false;
  const failed = new Set<Vmi | Pod>();
  /** One object that cannot be written keeps nobody from the others. Whether it was. */
  const attempt = async (object: Vmi | Persisted<Pod>, write: () => Promise<void>): Promise<boolean> => {
    try {
      await write();
      return true;
    } catch (error) {
      failed.add(object);
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
    await setPhase(vmi, () =>
      decision.action === 'markUnknown'
        ? act.markUnknown(vmi, node, decision, now)
        : act.failVmi(vmi, decision.reason, `${decision.why}: the VMI has failed`, now),
    );
  }
  for (const pod of pods) {
    const vmi = vmiOf(pod);
    if (vmi && !isHandedOver(vmi) && !isFinal(vmi) && !failed.has(vmi)) {
      // Its guest is not started before it is handed over, and now it never is.
      const why = `node ${node} is unreachable, and the guest had not been started there`;
      await setPhase(vmi, () => act.failVmi(vmi, decision.reason, why, now));
    }
    // What has ended needs nobody's confirmation.
    const isOver = decision.action === 'giveUp' || (vmi !== undefined && (isFinal(vmi) || !isHandedOver(vmi)));
    if (isOver && !(vmi && failed.has(vmi))) await attempt(pod, () => act.removePod(pod));
  }
  return { isChanged, isIncomplete: failed.size > 0 };
}

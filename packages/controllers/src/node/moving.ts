/**
 * A guest that was moving when its node was given up may have arrived at the other one. It is not started elsewhere before
 * that node is given up as well, or has said that the guest is not there.
 */
import { conditionOf, isDeleting, Lease, Node, type Persisted, Pod } from '@vireo/api';
import { ASKED_TARGET_ANNOTATION } from '@vireo/api/kinds/kubevirt/fencing.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Client } from '@vireo/kube';
import { decideNode } from './decide.ts';
import { LEASES, quietMsOf, type Silences, signOfLife } from './silence.ts';

/** What is known of the target of a migration whose source was given up. */
export interface ObservedTarget {
  /** Whether its guests do not run, by somebody's word; whether it reports; or neither. */
  readonly node: 'givenUp' | 'reports' | 'silent';
  /** The launcher that was made for the guest there. */
  readonly pod: Persisted<Pod> | undefined;
}

/** What to do about a guest that may be at the target. */
export type MovingDecision =
  /** It is not there. */
  | { readonly action: 'giveUp' }
  /** Have the target end its pod: if the guest is there, it takes the guest over instead. Only then it lets the pod go. */
  | { readonly action: 'ask'; readonly pod: Persisted<Pod> }
  | { readonly action: 'wait' }
  /** Wait, and take a pod that is gone for no answer: others may remove it while the target is silent. */
  | { readonly action: 'withdraw' };

/** What follows for a guest whose node was given up while it was moving. */
export function decideMoving(vmi: Vmi, { node, pod }: ObservedTarget): MovingDecision {
  if (node === 'givenUp') return { action: 'giveUp' };
  const isAsked = vmi.metadata.annotations?.[ASKED_TARGET_ANNOTATION] === vmi.status?.migrationState?.migrationUid;
  if (node === 'silent') return { action: isAsked ? 'withdraw' : 'wait' };
  // One that somebody else has removed by force tells nothing: the guest may run without it.
  if (!pod) return { action: isAsked ? 'giveUp' : 'wait' };
  return isAsked && isDeleting(pod) ? { action: 'wait' } : { action: 'ask', pod };
}

/** Asks the server about the target of a VMI's migration. */
export async function observeTarget(
  { metadata: { namespace }, status }: Vmi,
  { cached, confirmed }: Silences,
  { client, now }: { readonly client: Client; readonly now: Date },
): Promise<ObservedTarget> {
  const { targetNode = '', targetPod = '' } = status?.migrationState ?? {};
  const [node, lease, pod] = await Promise.all([
    client.of(Node).find(targetNode),
    client.of(Lease).find(targetNode, { namespace: LEASES }),
    client.of(Pod).find(targetPod, { namespace }),
  ]);
  if (!node) return { node: 'silent', pod };
  const sign = signOfLife(node, lease);
  const isQuiet = cached.look(targetNode, sign, now.getTime()) >= quietMsOf(node, lease);
  const silentMs = isQuiet ? confirmed.look(targetNode, sign, now.getTime()) : 0;
  const { action } = decideNode({ node, lease, silentMs });
  if (action === 'giveUp') return { node: 'givenUp', pod };
  // The first looks at a silent node show no silence yet.
  const isReady = conditionOf(node, 'Ready')?.status === 'True';
  return { node: action === 'trust' && isReady ? 'reports' : 'silent', pod };
}

/** What is said of such a guest. */
export const movingText = (source: string, { status }: Vmi): string => {
  const target = status?.migrationState?.targetNode ?? '';
  return (
    `the guest was moving from node ${source} to node ${target}, and may have arrived there: it is neither stopped nor ` +
    `started elsewhere. This is known when node ${target} reports; if its host is powered off, too: vireo node fence ${target}`
  );
};

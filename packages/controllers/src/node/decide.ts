import type { Lease, Node } from '@vireo/api';
import {
  fencingPolicy,
  isOutOfService,
  type LeasePolicy,
  OUT_OF_SERVICE_TAINT,
  STOP_MARGIN_SECONDS,
  STOP_PROMISE_ANNOTATION,
  type UnknownReason,
} from '@vireo/api/kinds/kubevirt/fencing.ts';
import { SILENT_MS } from './silence.ts';

/** What to do about the VMIs of a node. */
export type NodeDecision =
  /** It has reported, or not been silent for long enough. */
  | { readonly action: 'trust' }
  /** Nobody knows whether its guests run: they are neither stopped nor started elsewhere. `isCounting`: not for ever. */
  | {
      readonly action: 'markUnknown';
      readonly reason: UnknownReason;
      readonly untilText: string;
      readonly isCounting: boolean;
    }
  /** Its guests do not run, by somebody's word: they may be started elsewhere. */
  | { readonly action: 'giveUp'; readonly reason: string; readonly why: string };

/** What is known of a node that has shown no sign of life. */
export interface SilentNode {
  readonly node: Node;
  /** As the server has it now. */
  readonly lease: Lease | undefined;
  /** How long the server, asked all the while, has had nothing of it. */
  readonly silentMs: number;
}

/** What follows from the silence of a node. */
export function decideNode({ node, lease, silentMs }: SilentNode): NodeDecision {
  if (silentMs < SILENT_MS) return { action: 'trust' };
  const { name = '' } = node.metadata;
  if (isOutOfService(node))
    return {
      action: 'giveUp',
      reason: 'NodeOutOfService',
      why: `the host of node ${name} is powered off, by the word of an administrator (taint ${OUT_OF_SERVICE_TAINT})`,
    };
  const policy = fencingPolicy(node);
  const restartMs = policy && restartAfterMs(policy, lease);
  if (restartMs !== undefined && silentMs >= restartMs)
    return {
      action: 'giveUp',
      reason: 'NodeLeaseExpired',
      why: `node ${name} has been unreachable for ${Math.floor(silentMs / 1000)} s, and by its fencing policy it has ended its guests`,
    };
  return {
    action: 'markUnknown',
    reason: 'NodeUnresponsive',
    untilText: untilText(name, policy, restartMs),
    isCounting: restartMs !== undefined,
  };
}

/** After which silence the guests of a node have ended; undefined where the node has not promised that they do. */
function restartAfterMs(policy: LeasePolicy | { readonly problem: string }, lease: Lease | undefined) {
  const promised = lease?.metadata.annotations?.[STOP_PROMISE_ANNOTATION] ?? '';
  if ('problem' in policy || !/^\d{1,6}$/.test(promised)) return undefined;
  return Math.max(policy.restartAfterSeconds, Number(promised) + STOP_MARGIN_SECONDS) * 1000;
}

/** What ends the uncertainty, for whoever reads events. */
export function untilText(
  node: string,
  policy?: LeasePolicy | { readonly problem: string },
  restartMs?: number,
): string {
  const byHand = `if the host is powered off: vireo node fence ${node}`;
  const automatic =
    restartMs === undefined
      ? policy === undefined
        ? ''
        : 'problem' in policy
          ? `; its fencing policy cannot be used (${policy.problem})`
          : '; its fencing policy is not in force, because its agent has not confirmed it'
      : `; by its fencing policy, its VMs start elsewhere when it has been unreachable for ${restartMs / 1000} s`;
  return `This is known when the node reports again; ${byHand}${automatic}`;
}

import type { FirewallConflict } from '@vireo/network';
import type { ConditionDraft } from '../registration/readiness.ts';
import type { NetworkKind } from './guestNetwork.ts';
import type { HostAccess } from './hostAccess.ts';

/** What is known of the network of a node's guests. */
export interface NetworkState {
  readonly kind: NetworkKind;
  readonly access: HostAccess;
  /** Firewalls of others that drop packets of guests. */
  readonly firewalls: readonly FirewallConflict[];
}

const USER_NETWORKING = 'guests reach other hosts by QEMU’s user networking';

const statusOf = (isSo: boolean): 'True' | 'False' => (isSo ? 'True' : 'False');

/** What a node says of the network of its guests. */
export function networkConditions({ kind, access, firewalls }: NetworkState): ConditionDraft[] {
  const { kind: name, reason, message } = kind;
  return [
    // Kubernetes' own: guests have a network, whichever it is.
    name === 'routed'
      ? { type: 'NetworkUnavailable', status: 'False', reason, message }
      : { type: 'NetworkUnavailable', status: 'False', reason: 'UserNetworking', message: USER_NETWORKING },
    { type: 'RoutedPodNetwork', status: statusOf(name === 'routed'), reason, message },
    {
      type: 'HostLoopbackReachable',
      status: statusOf(access.isOpen),
      reason: access.reason,
      message: access.message,
    },
    firewallCondition(name, firewalls),
  ];
}

function firewallCondition(kind: NetworkKind['kind'], firewalls: readonly FirewallConflict[]): ConditionDraft {
  const type = 'FirewallConflict';
  const [first] = firewalls;
  if (first) return { type, status: 'True', reason: first.reason, message: firewalls.map(conflictText).join('; ') };
  return kind === 'routed'
    ? { type, status: 'False', reason: 'NoConflict', message: 'no firewall of this host drops packets of guests' }
    : { type, status: 'False', reason: 'NotRouted', message: 'no packets of guests are forwarded' };
}

/** A conflict with a firewall, and what to do. */
export const conflictText = ({ problem, command }: FirewallConflict): string =>
  `${problem}. To let them pass, run: ${command}`;

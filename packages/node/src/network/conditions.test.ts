import { expect, it } from 'vitest';
import { type NetworkState, networkConditions } from './conditions.ts';
import { openToRoot, ROUTED_ACCESS } from './hostAccess.ts';

const routed: NetworkState = {
  kind: { kind: 'routed', reason: 'GuestsHaveAddresses', message: 'guests have addresses of 10.244.0.0/24' },
  access: ROUTED_ACCESS,
  firewalls: [],
};
const docker = { reason: 'DockerDropsForwarded', problem: 'Docker drops all', command: 'iptables -I x' } as const;
const told = (state: NetworkState): string[] =>
  networkConditions(state).map(({ type, status, reason }) => `${type} ${status} ${reason}`);

it.each<[string, NetworkState, string[]]>([
  [
    'a routed network',
    routed,
    [
      'NetworkUnavailable False GuestsHaveAddresses',
      'RoutedPodNetwork True GuestsHaveAddresses',
      'HostLoopbackReachable False GuestsHaveAddresses',
      'FirewallConflict False NoConflict',
    ],
  ],
  [
    'a routed network behind a firewall',
    { ...routed, firewalls: [docker] },
    [
      'NetworkUnavailable False GuestsHaveAddresses',
      'RoutedPodNetwork True GuestsHaveAddresses',
      'HostLoopbackReachable False GuestsHaveAddresses',
      'FirewallConflict True DockerDropsForwarded',
    ],
  ],
  [
    'user networking of guests that run as root',
    { kind: { kind: 'user', reason: 'NoTun', message: 'no tun' }, access: openToRoot, firewalls: [] },
    [
      'NetworkUnavailable False UserNetworking',
      'RoutedPodNetwork False NoTun',
      'HostLoopbackReachable True GuestsRunAsRoot',
      'FirewallConflict False NotRouted',
    ],
  ],
])('%s', (_, state, expected) => {
  expect(told(state)).toEqual(expected);
});

it('a conflict comes with the command that mends it', () => {
  const conditions = networkConditions({ ...routed, firewalls: [docker, { ...docker, problem: 'ufw drops all' }] });
  expect(conditions.at(-1)?.message).toBe(
    'Docker drops all. To let them pass, run: iptables -I x; ufw drops all. To let them pass, run: iptables -I x',
  );
});

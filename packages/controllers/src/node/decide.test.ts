import type { Lease, Node } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { decideNode } from './decide.ts';
import { SILENT_MS } from './silence.ts';

interface Given {
  readonly taints?: string[];
  readonly policy?: string;
  readonly promise?: string;
  readonly silentSeconds?: number;
}

const node = ({ taints = [], policy }: Given): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(policy && { annotations: { 'vireo.io/fencing': policy } }) },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoSchedule' })) },
});
const lease = ({ promise }: Given): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { ...(promise && { annotations: { 'vireo.io/guests-stop-after-seconds': promise } }) },
});
const decided = (given: Given) =>
  decideNode({
    node: node(given),
    lease: lease(given),
    silentMs: given.silentSeconds === undefined ? SILENT_MS : given.silentSeconds * 1000,
  });

const OFF = 'node.kubernetes.io/out-of-service';
const LEASED = { policy: 'lease stopAfter=60s restartAfter=120s', promise: '60' };

describe('the VMIs of a node that shows no sign of life', () => {
  it.each<[what: string, Given, action: string]>([
    ['for a moment', { silentSeconds: 20 }, 'trust'],
    ['although it is said to be powered off', { silentSeconds: 20, taints: [OFF] }, 'trust'],
    ['for long', { silentSeconds: 25 }, 'markUnknown'],
    ['for days', { silentSeconds: 1_000_000 }, 'markUnknown'],
    ['and has other taints', { taints: ['node.kubernetes.io/unreachable'] }, 'markUnknown'],
    ['and is said to be powered off', { taints: [OFF] }, 'giveUp'],
    ['and has the policy, not for long enough', { ...LEASED, silentSeconds: 119 }, 'markUnknown'],
    ['and has the policy, for long enough', { ...LEASED, silentSeconds: 120 }, 'giveUp'],
    ['and has a policy that it has not promised to keep', { policy: LEASED.policy, silentSeconds: 999 }, 'markUnknown'],
    ['and has a promise without a policy', { promise: '60', silentSeconds: 999 }, 'markUnknown'],
    [
      'and has promised more time than the policy has',
      { ...LEASED, promise: '300', silentSeconds: 339 },
      'markUnknown',
    ],
    ['and that time is over', { ...LEASED, promise: '300', silentSeconds: 340 }, 'giveUp'],
    [
      'and has a policy that makes no sense',
      { ...LEASED, policy: 'lease stopAfter=1s', silentSeconds: 999 },
      'markUnknown',
    ],
  ])('%s', (_, given, action) => {
    expect(decided(given).action).toBe(action);
  });
});

it.each<[Given, RegExp]>([
  [{}, /when the node reports again; if the host is powered off: vireo node fence n$/],
  [LEASED, /by its fencing policy, its VMs start elsewhere when it has been unreachable for 120 s$/],
  [{ policy: 'lease' }, /its fencing policy is not in force, because its agent has not confirmed it$/],
  [{ policy: 'fast' }, /its fencing policy cannot be used \(there is no policy "fast": write "none", "lease" or /],
])('what can be done is said: %j', (given, text) => {
  expect(decided(given)).toMatchObject({ untilText: expect.stringMatching(text) });
});

import { expect, it } from 'vitest';
import type { Node } from '../core/node.ts';
import { fencingPolicy, isOutOfService, leasePolicyText, parseLeasePolicy, unknownSinceMs } from './fencing.ts';

const node = (policy?: string, taints: string[] = []): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(policy !== undefined && { annotations: { 'vireo.io/fencing': policy } }) },
  spec: { taints: taints.map((key) => ({ key, effect: 'NoExecute' })) },
});

it.each<[policy: string | undefined, expected: object | undefined]>([
  [undefined, undefined],
  ['', undefined],
  ['none', undefined],
  ['lease', { stopAfterSeconds: 60, restartAfterSeconds: 120 }],
  ['lease stopAfter=30s restartAfter=70s', { stopAfterSeconds: 30, restartAfterSeconds: 70 }],
  ['lease, restartAfter=600', { stopAfterSeconds: 60, restartAfterSeconds: 600 }],
  ['lease stopAfter=29s', { problem: expect.stringContaining('stopAfter must be at least 30s') }],
  ['lease stopAfter=90s', { problem: expect.stringContaining('restartAfter must be at least 40s longer') }],
  ['lease soon', { problem: expect.stringContaining('"soon" is no setting') }],
  ['always', { problem: expect.stringContaining('there is no policy "always"') }],
])('the fencing policy %j', (policy, expected) => {
  expect(fencingPolicy(node(policy))).toEqual(expected);
});

it('a policy is read as it is written', () => {
  const policy = { stopAfterSeconds: 45, restartAfterSeconds: 200 };
  expect(parseLeasePolicy(leasePolicyText(policy))).toEqual(policy);
});

it('a node is out of service by its taint', () => {
  expect(isOutOfService(node(undefined, ['node.kubernetes.io/unreachable']))).toBe(false);
  expect(isOutOfService(node(undefined, ['node.kubernetes.io/out-of-service']))).toBe(true);
});

it('a VMI is Unknown since the last time that it became so', () => {
  const at = (phase: string, phaseTransitionTimestamp: string) => ({ phase, phaseTransitionTimestamp });
  const times = [
    at('Unknown', '2026-01-01T10:00:00Z'),
    at('Running', '2026-01-01T09:00:00Z'),
    at('Unknown', '2026-01-01T11:00:00Z'),
  ];
  const vmi = (phase: string) => ({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {},
    spec: { domain: { devices: {} } },
    status: { phase, phaseTransitionTimestamps: times },
  });
  expect(unknownSinceMs(vmi('Unknown'))).toBe(Date.parse('2026-01-01T11:00:00Z'));
  expect(unknownSinceMs(vmi('Running'))).toBeUndefined();
});

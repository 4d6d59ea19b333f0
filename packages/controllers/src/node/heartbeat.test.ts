import type { Lease, Node } from '@vireo/api';
import { expect, it } from 'vitest';
import { HEARTBEAT_TIMEOUT_MS, heartbeatExpiresAtMs } from './heartbeat.ts';

const at = (time: string): number => Date.parse(`2026-01-01T${time}Z`);
const node = (heartbeat?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(heartbeat && { annotations: { 'kubevirt.io/heartbeat': heartbeat } }) },
});
const lease = (renewTime: string): Lease => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: {},
  spec: { renewTime },
});

it.each<[string, Node, Lease | undefined, since: string, expected: string | undefined]>([
  ['a node without VMs', node(), lease('2026-01-01T10:00:00.000000Z'), '09:00:00', undefined],
  ['its heartbeat', node('2026-01-01T10:00:00Z'), undefined, '09:00:00', '10:00:00'],
  [
    'its lease, where that is younger',
    node('2026-01-01T10:00:00Z'),
    lease('2026-01-01T10:02:00Z'),
    '09:00:00',
    '10:02:00',
  ],
  ['our start, where the node has said nothing since', node('2026-01-01T08:00:00Z'), undefined, '09:00:00', '09:00:00'],
  ['our start, where the heartbeat cannot be read', node('soon'), undefined, '09:00:00', '09:00:00'],
])('the heartbeat of a node counts from %s', (_, of, leased, since, expected) => {
  expect(heartbeatExpiresAtMs(of, leased, at(since))).toBe(
    expected === undefined ? undefined : at(expected) + HEARTBEAT_TIMEOUT_MS,
  );
});

import type { Lease, Node } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { aliveUntilMs, GRACE_MS, nodeTaints, silentConditions } from './status.ts';

const now = new Date('2026-01-01T00:00:00Z');
const node = (conditions: Record<string, string>, spec: Node['spec'] = {}): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1' },
  spec,
  status: { conditions: Object.entries(conditions).map(([type, status]) => ({ type, status })) },
});
const notReady = { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' };
const other = { key: 'mine', effect: 'NoSchedule' };
const names = (of: Node) =>
  nodeTaints(of, now)?.map(({ key, effect }) => `${key.replace('node.kubernetes.io/', '')}:${effect}`);

describe('nodeTaints', () => {
  it.each<[string, Node, string[] | undefined]>([
    ['a ready node', node({ Ready: 'True' }), undefined],
    ['a new node that became ready', node({ Ready: 'True' }, { taints: [notReady, other] }), ['mine:NoSchedule']],
    ['a new node that has not spoken', node({}, { taints: [notReady] }), undefined],
    ['a node that is not ready', node({ Ready: 'False' }), ['not-ready:NoSchedule', 'not-ready:NoExecute']],
    [
      'a lost node',
      node({ Ready: 'Unknown' }, { taints: [notReady] }),
      ['unreachable:NoSchedule', 'unreachable:NoExecute'],
    ],
    ['pressure', node({ Ready: 'True', DiskPressure: 'True' }), ['disk-pressure:NoSchedule']],
    ['a cordon', node({ Ready: 'True' }, { unschedulable: true }), ['unschedulable:NoSchedule']],
    [
      'a cordon lifted',
      node({ Ready: 'True' }, { taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }] }),
      [],
    ],
  ])('%s', (_, of, expected) => {
    expect(names(of)).toEqual(expected);
  });
});

describe('silentConditions', () => {
  it('turns what the node said into Unknown, once', () => {
    const changed = silentConditions(node({ Ready: 'True', DiskPressure: 'False', Custom: 'True' }), now);
    expect(changed?.map(({ type, status }) => `${type} ${status}`)).toEqual(['Ready Unknown', 'DiskPressure Unknown']);
    expect(silentConditions(node({ Ready: 'Unknown' }), now)).toBeUndefined();
  });
});

describe('aliveUntilMs', () => {
  const renewed: Lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'n1' },
    spec: { renewTime: '2026-01-01T10:00:00.000000Z' },
  };
  it.each<[string, Lease | undefined, listeningSince: string, expected: string | undefined]>([
    ['nothing, for a node without a lease', undefined, '09:00:00', undefined],
    ['its last word', renewed, '09:00:00', '10:00:00'],
    ['the moment we began to listen, where the last word is older', renewed, '12:00:00', '12:00:00'],
  ])('counts from %s', (_, lease, listeningSince, expected) => {
    const at = (time: string) => Date.parse(`2026-01-01T${time}Z`);
    expect(aliveUntilMs(lease, at(listeningSince))).toBe(expected === undefined ? undefined : at(expected) + GRACE_MS);
  });
});

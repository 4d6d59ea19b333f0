import type { Node } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { nodeTaints, silentConditions } from './status.ts';

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

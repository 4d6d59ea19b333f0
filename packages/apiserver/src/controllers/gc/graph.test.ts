import { ConfigMap, type OwnerReference, type UnknownObject } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { decideDependent, type OwnerState } from './decide.ts';
import { type GraphNode, OwnerGraph } from './graph.ts';

const owner = (uid: string, more: Partial<OwnerReference> = {}): OwnerReference => ({
  apiVersion: 'v1',
  kind: 'ConfigMap',
  name: uid,
  uid,
  ...more,
});
const object = (uid: string, owners: OwnerReference[] = [], metadata: object = {}) =>
  persisted<UnknownObject>({
    apiVersion: 'v1',
    kind: 'ConfigMap',
    metadata: {
      name: uid,
      namespace: 'default',
      uid,
      ...(owners.length > 0 && { ownerReferences: owners }),
      ...metadata,
    },
  });
const kind = ConfigMap as unknown as Parameters<OwnerGraph['put']>[0];
const going = (finalizer: string) => ({ deletionTimestamp: '2026-01-01T00:00:00Z', finalizers: [finalizer] });

describe('OwnerGraph', () => {
  it('wants a look at new dependents only', () => {
    const graph = new OwnerGraph();
    expect(graph.put(kind, object('lonely'))).toEqual([]);
    expect(graph.put(kind, object('child', [owner('parent')]))).toEqual(['child']);
    expect(graph.put(kind, object('child', [owner('parent')], { labels: { a: 'b' } }))).toEqual([]);
  });

  it('wants a look at all dependents of what goes, seen before or not', () => {
    const graph = new OwnerGraph();
    graph.put(kind, object('a', [owner('parent')]));
    graph.put(kind, object('parent'));
    graph.put(kind, object('b', [owner('parent')]));
    expect(graph.remove('parent').sort()).toEqual(['a', 'b']);
  });

  it('tells a waiting owner when a dependent has gone', () => {
    const graph = new OwnerGraph();
    graph.put(kind, object('parent'));
    graph.put(kind, object('child', [owner('parent', { blockOwnerDeletion: true })]));
    expect(graph.put(kind, object('parent', [], going('foregroundDeletion'))).sort()).toEqual(['child', 'parent']);
    expect(graph.remove('child')).toEqual(['parent']);
  });

  it('keeps nothing of what has gone', () => {
    const graph = new OwnerGraph();
    graph.put(kind, object('parent'));
    graph.put(kind, object('child', [owner('parent')]));
    graph.remove('parent');
    graph.remove('child');
    expect(graph.size).toBe(0);
  });
});

describe('decideDependent', () => {
  const node = (owners: OwnerReference[], metadata: object = {}, dependents: GraphNode[] = []): GraphNode => ({
    uid: 'x',
    object: { kind, metadata: object('x', owners, metadata).metadata },
    dependents: new Set(dependents),
  });
  const [a, b] = [owner('a'), owner('b')];
  const waitingChild: GraphNode = {
    uid: 'y',
    object: { kind, metadata: object('y', [], going('foregroundDeletion')).metadata },
    dependents: new Set(),
  };
  const plainChild: GraphNode = { uid: 'z', object: { kind, metadata: object('z').metadata }, dependents: new Set() };
  it.each<[string, GraphNode, [OwnerReference, OwnerState][], object]>([
    ['no owners', node([]), [], { action: 'nothing' }],
    [
      'owners that stay',
      node([a, b]),
      [
        [a, 'solid'],
        [b, 'solid'],
      ],
      { action: 'nothing' },
    ],
    ['the only owner gone', node([a]), [[a, 'absent']], { action: 'delete', propagationPolicy: 'Background' }],
    [
      'one of two gone',
      node([a, b]),
      [
        [a, 'absent'],
        [b, 'solid'],
      ],
      { action: 'dropOwners', owners: [a] },
    ],
    [
      'one of two waiting',
      node([a, b]),
      [
        [a, 'waiting'],
        [b, 'solid'],
      ],
      { action: 'dropOwners', owners: [a] },
    ],
    ['an owner that waits', node([a]), [[a, 'waiting']], { action: 'delete', propagationPolicy: 'Background' }],
    [
      'an owner that waits, with dependents of its own',
      node([a], {}, [plainChild]),
      [[a, 'waiting']],
      { action: 'delete', propagationPolicy: 'Foreground' },
    ],
    ['a circle', node([a], {}, [waitingChild]), [[a, 'waiting']], { action: 'unblockAndDelete' }],
    [
      'an object that asks to orphan',
      node([a], { finalizers: ['orphan'] }),
      [[a, 'absent']],
      { action: 'delete', propagationPolicy: 'Orphan' },
    ],
    [
      'an object already going',
      node([a], { deletionTimestamp: '2026-01-01T00:00:00Z' }),
      [[a, 'absent']],
      { action: 'nothing' },
    ],
  ])('%s', (_, of, states, expected) => {
    expect(decideDependent(of, new Map(states))).toEqual(expected);
  });
});

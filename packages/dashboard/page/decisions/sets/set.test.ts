import { expect, it } from 'vitest';
import { memberPaths, POOLS, REPLICA_SETS, setHref, setPath, setRow, setState } from './set.ts';

const set = (spec: object, status: object = {}, metadata: object = {}) =>
  setRow({ metadata: { name: 'workers', namespace: 'shop', ...metadata }, spec, status });

it('a set without a number wants one', () => {
  expect(set({ selector: { matchLabels: { app: 'web', tier: 'a' } } })).toMatchObject({
    desired: 1,
    current: 0,
    ready: 0,
    selector: 'app=web,tier=a',
  });
});

const failing = { type: 'ReplicaFailure', status: 'True', reason: 'FailedCreate', message: 'quota' };
it.each<[string, object, object, object]>([
  ['Ready', { replicas: 2 }, { replicas: 2, readyReplicas: 2 }, {}],
  ['Getting ready', { replicas: 2 }, { replicas: 2, readyReplicas: 1 }, {}],
  ['Scaling up', { replicas: 2 }, { replicas: 1, readyReplicas: 1 }, {}],
  ['Scaling down', { replicas: 1 }, { replicas: 2, readyReplicas: 2 }, {}],
  ['Empty', { replicas: 0 }, {}, {}],
  ['Paused', { replicas: 2, paused: true }, { replicas: 1 }, {}],
  ['Failing', { replicas: 2, paused: true }, { conditions: [failing] }, {}],
  ['Being deleted', { replicas: 2 }, {}, { deletionTimestamp: 'now' }],
])('%s: %j with %j', (text, spec, status, metadata) => {
  expect(setState(set(spec, status, metadata)).text).toBe(text);
});

it('conditions that are over are no failures', () => {
  expect(set({}, { conditions: [{ ...failing, status: 'False' }] }).failures).toEqual([]);
  expect(set({}, { conditions: [failing] }).failures[0]?.message).toBe('quota');
});

it('paths and pages', () => {
  expect(setPath(REPLICA_SETS, 'shop', 'web')).toBe(
    '/apis/kubevirt.io/v1/namespaces/shop/virtualmachineinstancereplicasets/web',
  );
  expect(setHref(POOLS, 'shop', 'web')).toBe('/sets/shop/web?kind=pool');
});

it.each<[string, typeof POOLS, object, object]>([
  [
    'a replica set reads the instances that it selects',
    REPLICA_SETS,
    { replicas: 1 },
    { vmis: '/virtualmachineinstances?labelSelector=app%20in%20(a%2Cb)', vms: undefined },
  ],
  [
    'a pool reads what pools have made, which VMs that have left it keep',
    POOLS,
    { replicas: 1 },
    {
      vmis: '/virtualmachineinstances?labelSelector=kubevirt.io%2Fvm-pool-revision-name',
      vms: '/virtualmachines?labelSelector=kubevirt.io%2Fvm-pool-revision-name',
    },
  ],
])('%s', (_, kind, spec, expected) => {
  const paths = memberPaths(kind, set(spec, { labelSelector: 'app in (a,b)' }));
  const below = '/apis/kubevirt.io/v1/namespaces/shop'.length;
  expect({ vmis: paths.vmis.slice(below), vms: paths.vms?.slice(below) }).toEqual(expected);
});

it('a set without labels to select by reads all instances of the namespace', () => {
  expect(memberPaths(REPLICA_SETS, set({ selector: { matchExpressions: [] } })).vmis).toBe(
    '/apis/kubevirt.io/v1/namespaces/shop/virtualmachineinstances',
  );
});

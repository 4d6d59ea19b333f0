import { expect, it } from 'vitest';
import { POOLS, REPLICA_SETS, setHref, setPath, setRow, setState } from './set.ts';

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

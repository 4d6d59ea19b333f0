import type { ObjectMeta } from '@vireo/api';
import type { VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { deleting } from '../testing/objects.ts';
import { isReadyNow, replicaWith, setWith } from '../testing/sets.ts';
import { BackOff } from './backOff.ts';
import { newVmi } from './newVmi.ts';
import { isAdoptable } from './overlap.ts';
import { ReplicaCache } from './replicaCache.ts';
import { parse, wantedReplicas } from './replicaSet.ts';
import { hasFailedEarly, replicaState } from './replicaState.ts';
import { slowStartBatch } from './slowStart.ts';
import { failureCondition, replicaSetStatus } from './status.ts';

describe('the state of a replica', () => {
  const terminating = { conditions: [{ type: 'Ready', status: 'False', reason: 'PodTerminating' }] };
  it.each<[string, VmiStatus, ObjectMeta, string]>([
    ['a new VMI', {}, {}, 'notReady'],
    ['a scheduled VMI', { phase: 'Scheduled' }, {}, 'notReady'],
    ['a ready VMI', isReadyNow, {}, 'ready'],
    ['a succeeded VMI', { ...isReadyNow, phase: 'Succeeded' }, {}, 'finished'],
    ['a failed VMI', { phase: 'Failed' }, {}, 'finished'],
    ['a VMI whose launcher pod terminates', { phase: 'Running', ...terminating }, {}, 'finished'],
    ['a deleted VMI', isReadyNow, deleting, 'deleting'],
    ['a failed and deleted VMI', { phase: 'Failed' }, deleting, 'deleting'],
  ])('%s is %4$s', (_, status, metadata, expected) => {
    expect(replicaState(replicaWith('web-1', status, metadata))).toBe(expected);
  });
});

describe('the owner of a VMI', () => {
  const orphan = { ownerReferences: [] };
  const ofVm = {
    ownerReferences: [
      { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm', uid: 'vm-uid', controller: true },
    ],
  };
  const relabelled = { labels: { set: 'other' } };
  it.each<[string, VmiStatus, ObjectMeta, 'active' | 'toRelease' | 'adoptable' | undefined]>([
    ['a VMI of the set', {}, {}, 'active'],
    ['a deleted VMI of the set', {}, deleting, undefined],
    ['a VMI of the set with another label', {}, relabelled, 'toRelease'],
    ['a failed VMI of the set with another label', { phase: 'Failed' }, relabelled, 'toRelease'],
    ['a deleted VMI of the set with another label', {}, { ...relabelled, ...deleting }, undefined],
    ['an orphan', {}, orphan, 'adoptable'],
    ['a deleted orphan', {}, { ...orphan, ...deleting }, undefined],
    ['a failed orphan', { phase: 'Failed' }, orphan, undefined],
    ['a VMI of a VirtualMachine', {}, ofVm, undefined],
  ])('%s is %4$s', (_, status, metadata, expected) => {
    const vmi = replicaWith('web-1', status, metadata);
    const cache = new ReplicaCache();
    cache.put(vmi);
    const { active, finished, toRelease } = cache.get(setWith());
    const found = { active, finished, toRelease, adoptable: isAdoptable(vmi) ? [vmi] : [] };
    expect(Object.entries(found).flatMap(([name, vmis]) => (vmis.length > 0 ? [name] : []))).toEqual(
      expected ? [expected] : [],
    );
  });
});

describe('a set', () => {
  it.each([
    [{ replicas: undefined }, 1],
    [{ replicas: 0 }, 0],
    [{ replicas: -3 }, 0],
  ])('%j wants %i', (spec, expected) => {
    expect(wantedReplicas(setWith(spec))).toBe(expected);
  });

  it.each<[string, Parameters<typeof setWith>[0], string]>([
    [
      'selects all',
      { selector: {} },
      'spec.selector selects every VMI: set it to the labels of spec.template.metadata',
    ],
    [
      'selects others',
      { selector: { matchLabels: { set: 'other' } } },
      'spec.selector (set=other) does not match the labels of spec.template.metadata',
    ],
    [
      'selects in an unknown way',
      { selector: { matchExpressions: [{ key: 'set', operator: 'Like' }] } },
      'spec.selector.matchExpressions[0].operator: Invalid value: "Like": not a valid selector operator',
    ],
    ['makes nothing', { template: {} }, 'spec.template.spec is missing: set the spec of the VMIs'],
  ])('that %s cannot be reconciled', (_, spec, problem) => {
    expect(parse(setWith(spec))).toEqual({ problem });
  });

  it.each([
    [{ name: 'hen' }, 'hen'],
    [{ name: 'hen', generateName: 'chick-' }, 'hen'],
    [{ generateName: 'chick-' }, 'chick-'],
    [{}, 'web'],
  ])('with a template of %j names its VMIs %s…', (metadata, expected) => {
    const { spec } = setWith().spec.template;
    const draft = newVmi(setWith({ template: { metadata: { ...metadata, labels: { set: 'web' } }, spec } }));
    expect(draft.metadata).toMatchObject({ generateName: expected, namespace: 'shop', labels: { set: 'web' } });
    expect(draft.metadata.name).toBeUndefined();
  });
});

describe('the status of a set', () => {
  const now = new Date('2026-01-01T00:01:00Z');
  const of = (set: ReturnType<typeof setWith>, more: Partial<Parameters<typeof replicaSetStatus>[1]> = {}) =>
    replicaSetStatus(set, {
      replicas: { active: { length: 3 }, readyCount: 2 },
      failure: undefined,
      overlapping: [],
      now,
      ...more,
    });
  const failed = failureCondition('FailedCreate', 'no');
  const before = { ...failed, lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' };

  it('counts active and ready replicas', () => {
    expect(of(setWith())).toEqual({ replicas: 3, readyReplicas: 2, labelSelector: 'set=web' });
  });

  it('has the latest failure, with the time of the first', () => {
    const { conditions } = of(setWith({}, { conditions: [before] }), {
      failure: failureCondition('FailedDelete', 'never'),
    });
    expect(conditions).toEqual([{ ...before, reason: 'FailedDelete', message: 'never' }]);
  });

  it('drops the failure when it is over, and not while nothing was tried', () => {
    expect(of(setWith({}, { conditions: [before] })).conditions).toBeUndefined();
    expect(of(setWith({}, { conditions: [before] }), { failure: 'unchanged' }).conditions).toEqual([before]);
  });

  it('names the first five sets that overlap', () => {
    const [condition] = of(setWith(), { overlapping: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }).conditions ?? [];
    expect(condition?.message).toMatch(/^spec\.selector overlaps with that of a, b, c, d, e and 2 more: /);
  });
});

describe('a slow start', () => {
  it('doubles each batch', async () => {
    const atOnce: number[] = [];
    let running = 0;
    const attempt = async () => {
      running += 1;
      await Promise.resolve();
      if (running > 0) atOnce.push(running);
      running = 0;
    };
    expect(await slowStartBatch(10, attempt)).toEqual({ succeeded: 10 });
    expect(atOnce).toEqual([1, 2, 4, 3]);
  });

  it('begins with a batch of the given size', async () => {
    let asked = 0;
    const refused = await slowStartBatch(
      100,
      async () => {
        asked += 1;
        throw new Error('full');
      },
      20,
    );
    expect([refused.succeeded, asked]).toEqual([0, 20]);
  });

  it('gives up after the batch in which one failed', async () => {
    let asked = 0;
    const refusal = new Error('full');
    const result = await slowStartBatch(100, async () => {
      asked += 1;
      if (asked === 5) throw refusal;
    });
    expect(result).toEqual({ succeeded: 6, error: refusal });
    expect(asked).toBe(7);
  });
});

describe('a VMI that failed', () => {
  const at = (phase: string, second: number) => ({
    phase,
    phaseTransitionTimestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
  });
  it.each<[string, VmiStatus, boolean]>([
    ['before it ran', { phase: 'Failed' }, true],
    ['soon after it ran', { phase: 'Failed', phaseTransitionTimestamps: [at('Running', 0), at('Failed', 5)] }, true],
    ['long after it ran', { phase: 'Failed', phaseTransitionTimestamps: [at('Running', 0), at('Failed', 30)] }, false],
    ['never', { phase: 'Succeeded' }, false],
  ])('%s has failed early: %3$s', (_, status, expected) => {
    expect(hasFailedEarly(replicaWith('web-1', status))).toBe(expected);
  });
});

describe('the back-off of a set', () => {
  it('doubles with each failure, up to half a minute', () => {
    const backOff = new BackOff();
    const waits = Array.from({ length: 9 }, () => backOff.next('a', 'refused', 1, 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('ends with time, with a new generation of the set, and when it is reset', () => {
    const backOff = new BackOff();
    backOff.next('a', 'crashLoop', 1, 1000);
    expect(backOff.get('a', 1, 1200)).toEqual({ reason: 'crashLoop', remainingMs: 300 });
    expect(backOff.get('a', 1, 1500)).toBeUndefined();
    expect(backOff.get('a', 2, 1200)).toBeUndefined();
    backOff.reset('a', 'refused');
    expect(backOff.get('a', 1, 1200)).toBeDefined();
    backOff.reset('a', 'crashLoop');
    expect(backOff.get('a', 1, 1200)).toBeUndefined();
  });
});

import { describe, expect, it } from 'vitest';
import type { Vmi, VmiStatus } from '../kinds.ts';
import { deleting } from '../testing/objects.ts';
import { isReadyNow, replicaWith, setWith } from '../testing/sets.ts';
import { replicaOf } from './instance.ts';
import { isFree } from './membership.ts';
import { Restraint } from './restraint.ts';
import { Roster } from './roster.ts';
import { parse, wantedReplicas } from './set.ts';
import { slowStart } from './slowStart.ts';
import { standingOf } from './standing.ts';
import { failureOf, replicaSetStatus } from './status.ts';
import { diedYoung } from './youth.ts';

describe('what an instance is to its set', () => {
  const terminating = { conditions: [{ type: 'Ready', status: 'False', reason: 'PodTerminating' }] };
  it.each<[string, VmiStatus, Vmi['metadata'], string]>([
    ['new', {}, {}, 'starting'],
    ['on its way', { phase: 'Scheduled' }, {}, 'starting'],
    ['ready', isReadyNow, {}, 'ready'],
    ['at its end', { ...isReadyNow, phase: 'Succeeded' }, {}, 'finished'],
    ['broken', { phase: 'Failed' }, {}, 'finished'],
    ['without a launcher soon', { phase: 'Running', ...terminating }, {}, 'losing'],
    ['deleted', isReadyNow, deleting, 'going'],
    ['at its end and deleted', { phase: 'Failed' }, deleting, 'going'],
  ])('%s: %4$s', (_, status, metadata, expected) => {
    expect(standingOf(replicaWith('web-1', status, metadata))).toBe(expected);
  });
});

describe('whose an instance is', () => {
  const nobodys = { ownerReferences: [] };
  const anothers = {
    ownerReferences: [
      { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'vm', uid: 'vm-uid', controller: true },
    ],
  };
  const unlike = { labels: { set: 'other' } };
  it.each<[string, VmiStatus, Vmi['metadata'], 'active' | 'toRelease' | 'free' | undefined]>([
    ['ours', {}, {}, 'active'],
    ['ours, going', {}, deleting, undefined],
    ['ours with another label', {}, unlike, 'toRelease'],
    ['ours with another label, at its end', { phase: 'Failed' }, unlike, 'toRelease'],
    ['ours with another label, going', {}, { ...unlike, ...deleting }, undefined],
    ['nobody’s', {}, nobodys, 'free'],
    ['nobody’s, going', {}, { ...nobodys, ...deleting }, undefined],
    ['nobody’s, at its end', { phase: 'Failed' }, nobodys, undefined],
    ['another’s', {}, anothers, undefined],
  ])('%s: %4$s', (_, status, metadata, expected) => {
    const vmi = replicaWith('web-1', status, metadata);
    const roster = new Roster();
    roster.handlers.added(vmi);
    const { active, spent, toRelease } = roster.of(setWith());
    const found = { active, spent, toRelease, free: isFree(vmi) ? [vmi] : [] };
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
      'spec.selector selects every instance: name the labels of spec.template.metadata',
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
    ['makes nothing', { template: {} }, 'spec.template.spec is missing: say what the instances are made from'],
  ])('that %s cannot be worked on', (_, spec, problem) => {
    expect(parse(setWith(spec))).toEqual({ problem });
  });

  it.each([
    [{ name: 'hen' }, 'hen'],
    [{ name: 'hen', generateName: 'chick-' }, 'hen'],
    [{ generateName: 'chick-' }, 'chick-'],
    [{}, 'web'],
  ])('with a template of %j names its instances %s…', (metadata, expected) => {
    const { spec } = setWith().spec.template;
    const draft = replicaOf(setWith({ template: { metadata: { ...metadata, labels: { set: 'web' } }, spec } }));
    expect(draft.metadata).toMatchObject({ generateName: expected, namespace: 'shop', labels: { set: 'web' } });
    expect(draft.metadata.name).toBeUndefined();
  });
});

describe('status', () => {
  const now = new Date('2026-01-01T00:01:00Z');
  const of = (set: ReturnType<typeof setWith>, more: Partial<Parameters<typeof replicaSetStatus>[1]> = {}) =>
    replicaSetStatus(set, {
      census: { active: { length: 3 }, readyCount: 2 },
      failure: undefined,
      overlaps: [],
      now,
      ...more,
    });
  const failed = failureOf('FailedCreate', 'no');
  const before = { ...failed, lastProbeTime: null, lastTransitionTime: '2026-01-01T00:00:00Z' };

  it('counts', () => {
    expect(of(setWith())).toEqual({ replicas: 3, readyReplicas: 2, labelSelector: 'set=web' });
  });

  it('tells what failed, in today’s words, since when it does', () => {
    const { conditions } = of(setWith({}, { conditions: [before] }), { failure: failureOf('FailedDelete', 'never') });
    expect(conditions).toEqual([{ ...before, reason: 'FailedDelete', message: 'never' }]);
  });

  it('forgets what failed when it is over, and not while nothing was tried', () => {
    expect(of(setWith({}, { conditions: [before] })).conditions).toBeUndefined();
    expect(of(setWith({}, { conditions: [before] }), { failure: 'unchanged' }).conditions).toEqual([before]);
  });

  it('names sets that overlap, not all of many', () => {
    const [condition] = of(setWith(), { overlaps: ['a', 'b', 'c', 'd', 'e', 'f', 'g'] }).conditions ?? [];
    expect(condition?.message).toMatch(/^spec\.selector overlaps with that of a, b, c, d, e and 2 more: /);
  });
});

describe('slow start', () => {
  it('does twice as many at once each time', async () => {
    const atOnce: number[] = [];
    let running = 0;
    const attempt = async () => {
      running += 1;
      await Promise.resolve();
      if (running > 0) atOnce.push(running);
      running = 0;
    };
    expect(await slowStart(10, attempt)).toEqual({ succeeded: 10 });
    expect(atOnce).toEqual([1, 2, 4, 3]);
  });

  it('begins with as many as it may', async () => {
    let asked = 0;
    const refused = await slowStart(
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
    const result = await slowStart(100, async () => {
      asked += 1;
      if (asked === 5) throw refusal;
    });
    expect(result).toEqual({ succeeded: 6, error: refusal });
    expect(asked).toBe(7);
  });
});

describe('an instance that failed', () => {
  const at = (phase: string, second: number) => ({
    phase,
    phaseTransitionTimestamp: `2026-01-01T00:00:${String(second).padStart(2, '0')}Z`,
  });
  it.each<[string, VmiStatus, boolean]>([
    ['before it ran', { phase: 'Failed' }, true],
    ['soon after', { phase: 'Failed', phaseTransitionTimestamps: [at('Running', 0), at('Failed', 5)] }, true],
    ['later', { phase: 'Failed', phaseTransitionTimestamps: [at('Running', 0), at('Failed', 30)] }, false],
    ['not at all', { phase: 'Succeeded' }, false],
  ])('%s died young: %3$s', (_, status, expected) => {
    expect(diedYoung(replicaWith('web-1', status))).toBe(expected);
  });
});

describe('restraint', () => {
  it('grows with each failure, to half a minute', () => {
    const restraint = new Restraint();
    const waits = Array.from({ length: 9 }, () => restraint.hold('a', 'refused', 1, 0));
    expect(waits).toEqual([500, 1000, 2000, 4000, 8000, 16_000, 30_000, 30_000, 30_000]);
  });

  it('ends with time, with a change of the set, and with its reason', () => {
    const restraint = new Restraint();
    restraint.hold('a', 'fruitless', 1, 1000);
    expect(restraint.of('a', 1, 1200)).toEqual({ why: 'fruitless', remainingMs: 300 });
    expect(restraint.of('a', 1, 1500)).toBeUndefined();
    expect(restraint.of('a', 2, 1200)).toBeUndefined();
    restraint.release('a', 'refused');
    expect(restraint.of('a', 1, 1200)).toBeDefined();
    restraint.release('a', 'fruitless');
    expect(restraint.of('a', 1, 1200)).toBeUndefined();
  });
});

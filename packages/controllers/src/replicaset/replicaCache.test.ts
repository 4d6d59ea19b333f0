import { isControlledBy, isDeleting } from '@vireo/api';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { deleting } from '../testing/objects.ts';
import { isReadyNow, replicaWith, setWith } from '../testing/sets.ts';
import { ReplicaCache } from './replicaCache.ts';
import { ReplicaSet, selects } from './replicaSet.ts';
import { NO_REPLICAS, type Replicas, withAdopted } from './replicaState.ts';

const SETS = ['set-a', 'set-b'];
const LABELS: Record<string, string>[] = [{ set: 'web' }, { set: 'web', tier: 'front' }, { set: 'other' }];
const SELECTORS: ReplicaSet['spec']['selector'][] = [
  { matchLabels: { set: 'web' } },
  { matchLabels: { tier: 'front' } },
  { matchExpressions: [{ key: 'set', operator: 'Exists' }] },
  // Selects nothing that its template makes: a set that cannot be reconciled.
  { matchLabels: { set: 'nowhere' } },
];
const STATUSES: VmiStatus[] = [
  {},
  isReadyNow,
  { phase: 'Failed' },
  { phase: 'Unknown' },
  { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', reason: 'PodTerminating' }] },
];

/** The state of one VMI; `owner` is an index of the sets, a VirtualMachine, or nobody. */
const anyState = fc.record({
  owner: fc.constantFrom<number | 'vm' | 'nobody'>(0, 0, 1, 'vm', 'nobody'),
  labels: fc.constantFrom(...LABELS),
  status: fc.constantFrom(...STATUSES),
  isDeleted: fc.boolean(),
});
type State = typeof anyState extends fc.Arbitrary<infer T> ? T : never;

const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.nat(6), state: anyState }) },
  { weight: 2, arbitrary: fc.record({ remove: fc.nat(6) }) },
  { weight: 2, arbitrary: fc.record({ select: fc.nat(1), selector: fc.nat(SELECTORS.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ compare: fc.nat(1) }) },
);

const uidOf = (index: number): string => `uid-web-${index}`;

const vmiIn = (index: number, { owner, labels, status, isDeleted }: State): Vmi =>
  replicaWith(`web-${index}`, status, {
    labels,
    ownerReferences:
      owner === 'nobody'
        ? []
        : [
            {
              apiVersion: 'kubevirt.io/v1',
              kind: owner === 'vm' ? 'VirtualMachine' : ReplicaSet.kind,
              name: 'web',
              uid: owner === 'vm' ? 'vm-uid' : SETS[owner]!,
              controller: true,
            },
          ],
    ...(isDeleted && deleting),
  });

/** What `ReplicaCache` should say, by filtering all VMIs. */
function filterAll(set: ReplicaSet, vmis: Iterable<Vmi>): Replicas {
  const controlled = [...vmis].filter((vmi) => isControlledBy(vmi, set));
  const isSelected = ({ metadata }: Vmi) => selects(set, metadata.labels);
  return {
    ...withAdopted(NO_REPLICAS, controlled.filter(isSelected)),
    toRelease: controlled.filter((vmi) => !isSelected(vmi) && !isDeleting(vmi)),
  };
}

/** Versions count, order does not. */
const unordered = ({ active, readyCount, unknown, finished, toRelease }: Replicas) => ({
  active: new Set(active),
  unknown: new Set(unknown),
  finished: new Set(finished),
  toRelease: new Set(toRelease),
  counts: [active.length, readyCount, unknown.length, finished.length, toRelease.length],
});

describe('the cache of replicas', () => {
  it('says the same as filtering all VMIs, after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const cache = new ReplicaCache();
        const vmis = new Map<number, Vmi>();
        const sets = SETS.map((uid) => setWith({}, {}, { uid }));
        const compare = (index: number) => {
          const set = sets[index]!;
          const isValid = selects(set, set.spec.template.metadata?.labels);
          expect(unordered(cache.get(set))).toEqual(unordered(filterAll(set, isValid ? vmis.values() : [])));
        };
        for (const step of steps) {
          if ('put' in step) {
            const vmi = vmiIn(step.put, step.state);
            vmis.set(step.put, vmi);
            cache.put(vmi);
          } else if ('remove' in step) {
            vmis.delete(step.remove);
            cache.remove(uidOf(step.remove));
          } else if ('select' in step) {
            const [uid, selector] = [SETS[step.select], SELECTORS[step.selector]!];
            const template = { ...setWith().spec.template, metadata: { labels: { set: 'web', tier: 'front' } } };
            sets[step.select] = setWith({ selector, template }, {}, { uid });
          } else compare(step.compare);
        }
        sets.forEach((_, index) => {
          compare(index);
        });
        const owners = new Set([...vmis.values()].map((vmi) => SETS.find((uid) => isOwner(vmi, uid))));
        owners.delete(undefined);
        expect(cache.size).toBe(owners.size);
      }),
      { numRuns: 500 },
    );
  });

  it('returns a snapshot that later events do not change', () => {
    const cache = new ReplicaCache();
    const vmi = replicaWith('web-1');
    cache.put(vmi);
    const replicas = cache.get(setWith());
    cache.put(replicaWith('web-1', isReadyNow));
    cache.put(replicaWith('web-2'));
    expect(replicas).toEqual({ active: [vmi], readyCount: 0, unknown: [], finished: [], toRelease: [] });
  });
});

const isOwner = ({ metadata }: Vmi, uid: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

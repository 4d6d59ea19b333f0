import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isControlledBy, isDeleting, type Vmi, type VmiStatus } from '../kinds.ts';
import { deleting } from '../testing/objects.ts';
import { isReadyNow, replicaWith, setWith } from '../testing/sets.ts';
import { Roster } from './roster.ts';
import { ReplicaSet, selects } from './set.ts';
import { census } from './standing.ts';
import type { Members } from './tally.ts';

const SETS = ['set-a', 'set-b'];
const LABELS: Record<string, string>[] = [{ set: 'web' }, { set: 'web', tier: 'front' }, { set: 'other' }];
const SELECTORS: ReplicaSet['spec']['selector'][] = [
  { matchLabels: { set: 'web' } },
  { matchLabels: { tier: 'front' } },
  { matchExpressions: [{ key: 'set', operator: 'Exists' }] },
  // Selects nothing that its template makes: a set that cannot be worked on.
  { matchLabels: { set: 'nowhere' } },
];
const STATUSES: VmiStatus[] = [
  {},
  isReadyNow,
  { phase: 'Failed' },
  { phase: 'Running', conditions: [{ type: 'Ready', status: 'False', reason: 'PodTerminating' }] },
];

/** How one instance may be; `owner` as an index of the sets, a machine, or nobody. */
const anyState = fc.record({
  owner: fc.constantFrom<number | 'machine' | 'nobody'>(0, 0, 1, 'machine', 'nobody'),
  labels: fc.constantFrom(...LABELS),
  status: fc.constantFrom(...STATUSES),
  isGoing: fc.boolean(),
});
type State = typeof anyState extends fc.Arbitrary<infer T> ? T : never;

const anyStep = fc.oneof(
  { weight: 6, arbitrary: fc.record({ put: fc.nat(6), state: anyState }) },
  // The version that tells of the end may have changed once more, owner included.
  { weight: 2, arbitrary: fc.record({ remove: fc.nat(6), state: anyState }) },
  { weight: 2, arbitrary: fc.record({ select: fc.nat(1), selector: fc.nat(SELECTORS.length - 1) }) },
  { weight: 2, arbitrary: fc.record({ look: fc.nat(1) }) },
);

const instance = (index: number, { owner, labels, status, isGoing }: State): Vmi =>
  replicaWith(`web-${index}`, status, {
    labels,
    ownerReferences:
      owner === 'nobody'
        ? []
        : [
            {
              apiVersion: 'kubevirt.io/v1',
              kind: owner === 'machine' ? 'VirtualMachine' : ReplicaSet.kind,
              name: 'web',
              uid: owner === 'machine' ? 'vm-uid' : SETS[owner]!,
              controller: true,
            },
          ],
    ...(isGoing && deleting),
  });

/** What `Roster` says, by counting all there are. */
function recount(set: ReplicaSet, vmis: Iterable<Vmi>): Members {
  const controlled = [...vmis].filter((vmi) => isControlledBy(vmi, set));
  const isSelected = ({ metadata }: Vmi) => selects(set, metadata.labels);
  return {
    ...census(controlled.filter(isSelected)),
    toRelease: controlled.filter((vmi) => !isSelected(vmi) && !isDeleting(vmi)),
  };
}

/** Versions count, order does not. */
const listed = ({ active, readyCount, spent, toRelease }: Members) => ({
  active: new Set(active),
  spent: new Set(spent),
  toRelease: new Set(toRelease),
  counts: [active.length, readyCount, spent.length, toRelease.length],
});

describe('a roster', () => {
  it('says the same as counting all instances anew, after any sequence of changes', () => {
    fc.assert(
      fc.property(fc.array(anyStep, { maxLength: 40 }), (steps) => {
        const roster = new Roster();
        const vmis = new Map<number, Vmi>();
        const sets = SETS.map((uid) => setWith({}, {}, { uid }));
        const compare = (index: number) => {
          const set = sets[index]!;
          const isWorkable = selects(set, set.spec.template.metadata?.labels);
          expect(listed(roster.of(set))).toEqual(listed(recount(set, isWorkable ? vmis.values() : [])));
        };
        for (const step of steps) {
          if ('put' in step) {
            const [old, vmi] = [vmis.get(step.put), instance(step.put, step.state)];
            vmis.set(step.put, vmi);
            if (old) roster.handlers.updated(old, vmi);
            else roster.handlers.added(vmi);
          } else if ('remove' in step) {
            if (vmis.delete(step.remove))
              roster.handlers.deleted(instance(step.remove, step.state), { finalStateUnknown: false });
          } else if ('select' in step) {
            const [uid, selector] = [SETS[step.select], SELECTORS[step.selector]!];
            const template = { ...setWith().spec.template, metadata: { labels: { set: 'web', tier: 'front' } } };
            sets[step.select] = setWith({ selector, template }, {}, { uid });
          } else compare(step.look);
        }
        sets.forEach((_, index) => {
          compare(index);
        });
        const owners = new Set([...vmis.values()].map((vmi) => SETS.find((uid) => isOwner(vmi, uid))));
        owners.delete(undefined);
        expect(roster.size).toBe(owners.size);
      }),
      { numRuns: 500 },
    );
  });

  it('gives what was there when it was asked', () => {
    const roster = new Roster();
    const vmi = replicaWith('web-1');
    roster.handlers.added(vmi);
    const members = roster.of(setWith());
    roster.handlers.updated(vmi, replicaWith('web-1', isReadyNow));
    roster.handlers.added(replicaWith('web-2'));
    expect(members).toEqual({ active: [vmi], readyCount: 0, spent: [], toRelease: [] });
  });
});

const isOwner = ({ metadata }: Vmi, uid: string): boolean =>
  metadata.ownerReferences?.some((owner) => owner.uid === uid) ?? false;

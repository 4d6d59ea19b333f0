import { expect, it } from 'vitest';
import type { PoolSpec } from '../../data/setKinds.ts';
import { type Member, vmMember } from './members.ts';
import { detachedFrom, nextOfPool, poolStrategy } from './poolStrategy.ts';

const member = (name: string, second: number, more: object = {}): Member =>
  vmMember({ metadata: { name, creationTimestamp: `2026-01-01T00:00:0${second}Z`, ...more }, spec: {} });

it.each<[PoolSpec, string]>([
  [{}, 'Scaled in, it deletes any of them. Their disks go with them.'],
  [
    {
      scaleInStrategy: {
        proactive: { selectionPolicy: { sortPolicy: 'DescendingOrder' }, statePreservation: 'Offline' },
      },
    },
    'Scaled in, it deletes the highest number first. Their disks stay for the next VM of that number.',
  ],
  [
    { scaleInStrategy: { proactive: { selectionPolicy: { sortPolicy: 'Oldest', selectors: {} } } } },
    'Scaled in, it deletes the oldest first of those that its selectors match. Their disks go with them.',
  ],
  [
    { scaleInStrategy: { opportunistic: {} } },
    'Scaled in, it waits until others delete VMs. Their disks go with them.',
  ],
  [{ scaleInStrategy: { unmanaged: {} } }, 'Scaled in, it deletes no VM: others do.'],
  [{}, 'A changed template restarts running VMs, all at once.'],
  [{ maxUnavailable: 1 }, 'A changed template restarts running VMs, at most 1 at a time.'],
  [{ updateStrategy: { opportunistic: {} } }, 'A changed template reaches guests at their next start.'],
  [{ autohealing: {} }, 'A VM that fails to start 3 times is replaced.'],
])('%j is told: %s', (spec, text) => {
  expect(poolStrategy(spec).texts).toContain(text);
});

const MEMBERS = [member('p-2', 1), member('p-10', 3), member('p-0', 2)];

it.each([
  ['DescendingOrder', 'p-10', 'it has the highest number'],
  ['AscendingOrder', 'p-0', 'it has the lowest number'],
  ['Oldest', 'p-2', 'it is the oldest'],
  ['Newest', 'p-10', 'it is the newest'],
])('with %s, %s goes first: %s', (order, name, reason) => {
  const next = nextOfPool(MEMBERS, order);
  expect([next?.member.name, next?.reason]).toEqual([name, reason]);
});

it('nobody knows who goes first if the pool chooses any, some or none', () => {
  expect(nextOfPool(MEMBERS, poolStrategy({}).goesFirst)).toBeUndefined();
  expect(nextOfPool(MEMBERS, poolStrategy({ scaleInStrategy: { unmanaged: {} } }).goesFirst)).toBeUndefined();
  expect(nextOfPool([], 'Oldest')).toBeUndefined();
});

it('VMs that have left are told from members and from those of other pools', () => {
  const labels = { 'kubevirt.io/vm-pool-revision-name': 'p-7' };
  const owned = { labels, ownerReferences: [{ kind: 'VirtualMachinePool', name: 'p', uid: 'u', controller: true }] };
  const vms = [member('p-0', 1, { labels }), member('p-1', 1, owned), member('other', 1)];
  expect(detachedFrom('p', vms).map(({ name }) => name)).toEqual(['p-0']);
  expect(detachedFrom('p-7', vms)).toEqual([]);
});

it('a VM that its pool deletes says why', () => {
  const annotations = { 'vireo.dev/pool-deletion': 'ScaleIn' };
  expect(member('p-0', 1, { annotations, deletionTimestamp: 'now' }).whyGoing).toBe('the pool has too many');
});

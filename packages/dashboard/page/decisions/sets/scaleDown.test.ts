import { expect, it } from 'vitest';
import { type Member, vmiMember } from './members.ts';
import { nextToGo } from './scaleDown.ts';

const member = (name: string, more: Partial<Member> = {}): Member => ({
  ...vmiMember({ metadata: { name, creationTimestamp: '2026-01-01T00:00:00Z' }, spec: {} }),
  isReady: true,
  node: 'n1',
  ...more,
});

it.each<[string, Member[]]>([
  ['it is not ready', [member('a'), member('x', { isReady: false })]],
  ['it is migrating', [member('a'), member('x', { isMigrating: true })]],
  ['its deletion cost of -1 is lower than that of the others', [member('a'), member('x', { deletionCost: -1 })]],
  ['it is not on a node yet', [member('a'), member('x', { node: undefined })]],
  ['its node n1 has the most replicas (2)', [member('a', { node: 'n2' }), member('y'), member('x')]],
  ['it is the youngest', [member('a', { node: 'n2' }), member('x', { createdAt: '2026-01-02T00:00:00Z' })]],
  ['it is the youngest', [member('a'), member('x', { createdAt: '2026-01-02T00:00:00Z' })]],
  ['all else is equal, and its name comes first', [member('z', { node: 'n2' }), member('x')]],
  ['none is left to choose from', [member('x')]],
])('x goes first: %s', (reason, members) => {
  expect(nextToGo(members, 1).map((each) => [each.member.name, each.reason])).toEqual([['x', reason]]);
});

it('those that go already are not chosen again', () => {
  expect(nextToGo([member('a', { isDeleting: true }), member('b', { hasEnded: true })], 1)).toEqual([]);
});

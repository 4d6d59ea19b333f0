import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { leaseStrategy } from './lease.ts';

test.each<[object, string[]]>([
  [{ holderIdentity: 'a', leaseDurationSeconds: 15, leaseTransitions: 0 }, []],
  [
    { leaseDurationSeconds: 0, leaseTransitions: -1 },
    [
      'spec.leaseDurationSeconds: Invalid value: 0: must be greater than 0',
      'spec.leaseTransitions: Invalid value: -1: must be greater than or equal to 0',
    ],
  ],
])('%j', (spec, expected) => {
  expect(problems(leaseStrategy, { metadata: { name: 'l' }, spec })).toEqual(expected);
});

test('a node may renew a lease that is not there yet, but never blindly', () => {
  expect(leaseStrategy).toMatchObject({ createOnUpdate: true, unconditionalUpdate: false });
});

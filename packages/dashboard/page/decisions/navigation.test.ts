import { expect, it } from 'vitest';
import { isAt, PLACES } from './navigation.ts';

it.each([
  ['/', 'Machines'],
  ['/machines/default/web/disks', 'Machines'],
  ['/create', 'Machines'],
  ['/sets', 'Replica sets and pools'],
  ['/sets/default/web', 'Replica sets and pools'],
])('%s belongs to %s alone', (address, title) => {
  expect(PLACES.filter((place) => isAt(address, place)).map((place) => place.title)).toEqual([title]);
});

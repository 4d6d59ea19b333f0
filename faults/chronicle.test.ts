import { expect, it } from 'vitest';
import { Chronicle, type Entry } from './chronicle.ts';

const event = (type: Entry['type'], name: string, version: number): Entry => ({ type, name, version: String(version) });
const added = event('ADDED', 'b', 5);
const modified = event('MODIFIED', 'a', 6);
const deleted = event('DELETED', 'a', 7);

/** What a client saw that began with `a` in version 3. */
function chronicle(...entries: readonly Entry[]): Chronicle {
  const seen = new Chronicle();
  seen.begin('4', [{ name: 'a', version: '3' }]);
  for (const entry of entries) seen.take(entry);
  return seen;
}

it('is content with everything in order', () => {
  const seen = chronicle(added, modified, deleted);
  expect(seen.takeProblems()).toEqual([]);
  expect(seen.differing([{ name: 'b', version: '5' }])).toEqual([]);
  expect(seen.gaps([added, modified, deleted, event('ADDED', 'later', 8)])).toEqual([]);
});

it.each<[what: string, entries: Entry[], problem: string]>([
  ['the same event twice', [added, modified, modified], 'a: version 6 came after 6'],
  ['events out of order', [modified, added], 'b: version 5 came after 6'],
  ['a change of what it has not seen come', [event('MODIFIED', 'b', 5)], 'b: MODIFIED for one that is unknown'],
  ['an end of what it has not seen come', [event('DELETED', 'b', 5)], 'b: DELETED for one that is unknown'],
  ['a beginning of what is there', [event('ADDED', 'a', 5)], 'a: ADDED for one that is known'],
])('minds %s', (_, entries, problem) => {
  expect(chronicle(...entries).takeProblems()).toEqual([problem]);
});

it('minds a bookmark that goes back', () => {
  const seen = chronicle(modified);
  seen.bookmark('9');
  expect(seen.takeProblems()).toEqual([]);
  seen.bookmark('8');
  expect(seen.takeProblems()).toEqual(['a bookmark of version 8 came after 9']);
});

it('misses an event that a list shows', () => {
  expect(chronicle(added).differing([{ name: 'a', version: '6' }])).toEqual([
    'a: the list has version 6, the watch came to 3',
    'b: the list has version undefined, the watch came to 5',
  ]);
});

it('misses an event that no list shows any more: one between two others', () => {
  expect(chronicle(added, deleted).gaps([added, modified, deleted])).toEqual([
    'MODIFIED a of version 6 was never seen',
  ]);
  expect(chronicle(added, modified).gaps([modified])).toEqual([
    'ADDED b of version 5 was seen, and is not in the history',
  ]);
});

it('forgets what was looked at', () => {
  const seen = chronicle(added, modified);
  seen.mark();
  seen.take(deleted);
  expect([seen.markedAt, seen.length, seen.lastVersion]).toEqual(['6', 1, '7']);
  expect(seen.gaps([deleted])).toEqual([]);
});

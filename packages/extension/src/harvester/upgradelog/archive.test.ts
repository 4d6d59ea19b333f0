import type { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { expect, it } from 'vitest';
import { archiveName, newestArchive, surplusArchives } from './archive.ts';

/** A log with archives that were made one after the other; names with `!` are not ready. */
const log = (...names: string[]): UpgradeLog => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'UpgradeLog',
  metadata: { name: 'log' },
  status: {
    archives: Object.fromEntries(
      names.map((name, day) => [
        name,
        { ready: !name.endsWith('!'), size: 1, generatedTime: `2026-01-0${day + 1}T00:00:00Z` },
      ]),
    ),
  },
});

it('archives are named after their log and the moment', () => {
  expect(archiveName(log(), new Date('2026-02-03T04:05:06.789Z'))).toBe('log-archive-2026-02-03T04-05-06Z');
});

it.each<[string[], string | undefined]>([
  [[], undefined],
  [['a!'], undefined],
  [['z', 'a'], 'a'],
  [['z', 'a!'], 'z'],
])('of %j the newest that is ready is %s', (names, expected) => {
  expect(newestArchive(log(...names))).toBe(expected);
});

it.each<[string[], string[]]>([
  [[], []],
  [['a', 'b', 'c', 'd'], []],
  [['e', 'd', 'c', 'b', 'a'], ['e']],
  [
    ['a!', 'b', 'c', 'd', 'e', 'f'],
    ['a!', 'b'],
  ],
])('of %j, %j make room for another', (names, expected) => {
  expect(surplusArchives(log(...names))).toEqual(expected);
});

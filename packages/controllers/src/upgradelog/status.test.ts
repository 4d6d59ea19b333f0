import type { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { expect, it } from 'vitest';
import { upgradeLogStatus } from './status.ts';

const log = (status: NonNullable<UpgradeLog['status']>): UpgradeLog => ({
  apiVersion: 'harvesterhci.io/v1beta1',
  kind: 'UpgradeLog',
  metadata: { name: 'log' },
  status,
});
const NOW = new Date('2026-01-01T00:00:00Z');

it.each<[string, NonNullable<UpgradeLog['status']>, string]>([
  ['without an archive there is nothing to download', {}, 'False'],
  ['nor while it is being made', { archives: { a: { ready: false, size: 0 } } }, 'False'],
  [
    'with one that is ready there is',
    { archives: { a: { ready: false, size: 0 }, b: { ready: true, size: 1 } } },
    'True',
  ],
])('%s', (_, status, expected) => {
  const { conditions } = upgradeLogStatus(log(status), NOW);
  expect(conditions?.find(({ type }) => type === 'DownloadReady')?.status).toBe(expected);
});

it('the status of an upgrade log does not change when nothing has changed', () => {
  const first = upgradeLogStatus(log({}), NOW);
  expect(upgradeLogStatus(log(first), new Date('2027-01-01T00:00:00Z'))).toEqual(first);
});

import { expect, it } from 'vitest';
import { migrationWords, newestOf } from './migration.ts';

const migration = (phase: string, status: object = {}) => ({
  metadata: { name: 'm', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { vmiName: 'web', addedNodeSelector: { 'kubernetes.io/hostname': 'n2' } },
  status: { phase, ...status },
});

it.each([
  ['', {}, 'waits for its turn', true],
  ['Running', {}, 'copies memory and disks', true],
  ['Succeeded', {}, 'has arrived', false],
  ['Failed', { migrationState: { failureReason: 'disk full' } }, 'has failed: disk full', false],
  [
    'Pending',
    { conditions: [{ type: 'migrationBlockedByBackup', status: 'True', message: 'backup' }] },
    'waits for its turn: backup',
    true,
  ],
])('%s %j: %s', (phase, status, text, isUnderWay) => {
  expect(migrationWords(migration(phase, status), 'n1')).toMatchObject({ text, isUnderWay, from: 'n1', to: 'n2' });
});

it('the newest migration of an instance counts', () => {
  const newer = { ...migration('Running'), metadata: { name: 'n', creationTimestamp: '2026-01-02T00:00:00Z' } };
  expect(newestOf('web', [migration('Failed'), newer])).toBe(newer);
  expect(newestOf('db', [newer])).toBeUndefined();
});

import { expect, it } from 'vitest';
import { migrationWords, moveOf, moveText, newestOf } from './migration.ts';

const migration = (phase: string, status: object = {}) => ({
  metadata: { name: 'm', creationTimestamp: '2026-01-01T00:00:00Z' },
  spec: { vmiName: 'web', addedNodeSelector: { 'kubernetes.io/hostname': 'n2' } },
  status: { phase, ...status },
});

it.each([
  ['', {}, 'waiting for its turn', true],
  ['Running', {}, 'copying memory and disks', true],
  ['Succeeded', {}, 'succeeded', false],
  ['Failed', { migrationState: { failureReason: 'disk full' } }, 'failed: disk full', false],
  [
    'Pending',
    { conditions: [{ type: 'migrationBlockedByBackup', status: 'True', message: 'backup' }] },
    'waiting for its turn: backup',
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

const startTimestamp = '2026-01-01T00:00:00Z';
const progress = (value: unknown) => ({ 'vireo.io/migration-progress': JSON.stringify(value) });
const moving = { startTimestamp, targetNode: 'n2' };

it.each([
  ['as far as its node says', moving, progress({ percent: 43, remainingBytes: 9 }), 'Migrating to n2 · 43 %'],
  ['of KubeVirt, without figures', moving, undefined, 'Migrating to n2'],
  ['to a node that nobody has written yet', { startTimestamp }, undefined, 'Migrating'],
  ['with something else in the annotation', moving, progress(null), 'Migrating to n2'],
  ['with no JSON in it', moving, { 'vireo.io/migration-progress': '{' }, 'Migrating to n2'],
  ['with too large a figure', moving, progress({ percent: 101.5 }), 'Migrating to n2 · 100 %'],
])('a guest migrates %s', (_, migrationState, annotations, text) => {
  const move = moveOf({
    metadata: { name: 'web', ...(annotations && { annotations }) },
    spec: {},
    status: { migrationState },
  });
  expect(move && moveText(move)).toBe(text);
});

it.each([
  ['has arrived', { ...moving, endTimestamp: startTimestamp }],
  ['has not begun', { targetNode: 'n2' }],
  ['never moved', undefined],
])('a guest that %s does not migrate, whatever is left of its progress', (_, migrationState) => {
  const status = migrationState && { migrationState };
  expect(
    moveOf({ metadata: { name: 'web', annotations: progress({ percent: 99 }) }, spec: {}, ...(status && { status }) }),
  ).toBeUndefined();
});

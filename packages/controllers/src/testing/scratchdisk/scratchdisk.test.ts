import { isControlledBy, PersistentVolumeClaim } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import { gone, observed } from '../watching.ts';
import { withController } from '../withController.ts';
import { startScratchDiskController } from './index.ts';
import { ScratchDisk } from './kind.ts';
import { remainingMs, scratchDiskStatus } from './status.ts';

const metadata = { name: 'data', namespace: 'default' };

it.each([
  ['2026-01-01T00:00:00Z', 60_000],
  ['2026-01-01T00:00:59Z', 1000],
  ['2026-01-01T00:02:00Z', -60_000],
])('a ScratchDisk of one minute, created at 00:00:00, has at %s %i ms left', (now, expected) => {
  const spec = { size: '1Gi', ttlSeconds: 60 };
  const disk = persisted({ apiVersion: 'example.io/v1', kind: 'ScratchDisk', metadata, spec });
  expect(remainingMs(disk, Date.parse(now))).toBe(expected);
});

it('a ScratchDisk has the phase of its claim, and Pending before there is one', () => {
  const claim = { apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata, status: { phase: 'Bound' } };
  expect(scratchDiskStatus(claim)).toEqual({ phase: 'Bound' });
  expect(scratchDiskStatus(undefined)).toEqual({ phase: 'Pending' });
});

it('a ScratchDisk gets a claim, and is deleted when its time is over', () =>
  withController(ScratchDisk, startScratchDiskController, async (client) => {
    const disk = await client.of(ScratchDisk).create({ metadata, spec: { size: '1Gi', ttlSeconds: 2 } });
    await observed<PersistentVolumeClaim>(client, PersistentVolumeClaim, (claim) => isControlledBy(claim, disk));
    await gone<ScratchDisk>(client, ScratchDisk, ({ metadata: { uid } }) => uid === disk.metadata.uid);
  }));

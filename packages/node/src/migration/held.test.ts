import { FORCED_FAILURE_ANNOTATION } from '@vireo/api/kinds/kubevirt/migration.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { expect, it, vi } from 'vitest';
import type { NodeContext } from '../context.ts';
import { UID, vmiIn } from '../testing/objects.ts';
import { emptyCache, type RunningVmi } from '../vmi/localVmi.ts';
import type { StatusWriter } from '../vmi/statusWriter.ts';
import { Migrations } from './index.ts';

it('a guest that is paused for a copy of its disks waits for the end of that before it moves', async () => {
  let isHeld = true;
  const context = {
    host: { name: 'a', address: '192.0.2.1' },
    guests: { isHeld: () => isHeld },
    clock: new FakeClock(),
  } as unknown as NodeContext;
  const ports = { targetNodeAddress: '192.0.2.2', targetDirectMigrationNodePorts: { 49152: 0 } };
  const migrationState = { migrationUid: 'm', sourceNode: 'a', targetNode: 'b', targetPod: 'to', ...ports };
  const { metadata, ...rest } = vmiIn('Running');
  // With it, a move begins without a connection.
  const annotations = { [FORCED_FAILURE_ANNOTATION]: '' };
  const status = { phase: 'Running', migrationState };
  const vmi = { ...rest, metadata: { ...metadata, annotations }, status };
  const local = { vmi, key: 'shop/web', uid: UID, domain: { ref: { uuid: UID } }, cache: emptyCache() };
  const stop = new AbortController();
  const migrations = new Migrations(context, { home: '/nowhere', find: () => undefined }, stop.signal);
  const vmiStatus = vi.fn(() => Promise.reject(new Error('it begins')));
  const send = () => migrations.send(local as unknown as RunningVmi, { vmiStatus } as unknown as StatusWriter);
  expect(await send()).toEqual({ requeueAfterMs: expect.any(Number) });
  expect(vmiStatus).not.toHaveBeenCalled();
  isHeld = false;
  await expect(send()).rejects.toThrow('it begins');
  stop.abort();
});

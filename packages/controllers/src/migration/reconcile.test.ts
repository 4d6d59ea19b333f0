import type { Persisted, Pod } from '@vireo/api';
import type { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { clusterConfig } from '@vireo/hypervisor';
import { expect, it } from 'vitest';
import { frozen, vmiWith } from '../testing/objects.ts';
import type { MigrationActions } from './act.ts';
import { type MigrationState, reconcileMigration } from './reconcile.ts';

const READY: Pod['status'] = { phase: 'Running', conditions: [{ type: 'ContainersReady', status: 'True' }] };
const launcher = (name: string, nodeName: string, labels: Record<string, string> = {}): Persisted<Pod> =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: { name, namespace: 'shop', uid: name, creationTimestamp: '2026-01-01T00:59:00Z', labels },
    spec: { nodeName, containers: [{ name: 'compute', image: 'i' }] },
    status: READY,
  });

it('a migration is not handed over if the VM was taken hold of a moment ago', async () => {
  const migration: Migration = frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceMigration',
    metadata: { name: 'move', namespace: 'shop', uid: 'u', creationTimestamp: '2026-01-01T00:59:00Z' },
    spec: { vmiName: 'web' },
    status: { phase: 'Scheduling' },
  });
  const [source, target] = [launcher('from', 'a'), launcher('to', 'b', { 'kubevirt.io/migrationJobUID': 'u' })];
  const done: unknown[] = [];
  const act = {
    writeStatus: async (_: Migration, status: Migration['status']) => void done.push(status?.conditions?.[0]?.type),
    handOff: async () => void done.push('handed over'),
  } as unknown as MigrationActions;
  let isHeld = true;
  const blocked = { type: 'migrationBlockedByBackup', status: 'True', reason: 'BackupInProgress', message: 'busy' };
  const state: MigrationState = {
    migration,
    vmi: vmiWith({ phase: 'Running', nodeName: 'a', activePods: { from: 'a' } }),
    pods: [source, target],
    target,
    attachments: () => [],
    others: [],
    mayBegin: () => true,
    begins: () => () => {},
    // What the cache shows is older.
    blocked: undefined,
    blockedNow: async () => (isHeld ? blocked : undefined),
    node: () => undefined,
    policy: () => undefined,
    backendStorageClaim: undefined,
    allocatable: () => new Set<string>(),
    config: clusterConfig(undefined),
    now: new Date('2026-01-01T01:00:00Z'),
  };
  await reconcileMigration(state, act);
  expect(done).toEqual(['migrationBlockedByBackup']);
  isHeld = false;
  await reconcileMigration(state, act).catch(() => {});
  expect(done[1]).toBe('handed over');
});

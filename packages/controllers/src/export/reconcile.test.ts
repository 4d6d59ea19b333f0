import { forbidden, type Persisted } from '@vireo/api';
import type { VirtualMachineExport, VirtualMachineExportStatus } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { expect, it } from 'vitest';
import type { ExportActions } from './act.ts';
import { reconcileExport } from './reconcile.ts';
import type { ExportLookup } from './source.ts';

const at = { namespace: 'shop' };
const NOW = new Date('2026-01-01T12:00:00Z');
const exported: Persisted<VirtualMachineExport> = persisted({
  apiVersion: 'export.kubevirt.io/v1',
  kind: 'VirtualMachineExport',
  metadata: { name: 'past', ...at, uid: 'u1', creationTimestamp: NOW.toISOString() },
  spec: { source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'monday' } },
});
const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };
const apiVersion = 'snapshot.kubevirt.io/v1beta1';
const lookup: ExportLookup = {
  claim: () => undefined,
  vm: () => undefined,
  snapshot: (name) => ({
    apiVersion,
    kind: 'VirtualMachineSnapshot',
    metadata: { name, ...at },
    spec: { source },
    status: { readyToUse: true, virtualMachineSnapshotContentName: 'content' },
  }),
  content: (name) => ({
    apiVersion,
    kind: 'VirtualMachineSnapshotContent',
    metadata: { name, ...at },
    spec: {
      source: {},
      volumeBackups: [
        { volumeName: 'a', volumeSnapshotName: 'v', persistentVolumeClaim: { metadata: { name: 'root' } } },
      ],
    },
  }),
  volumeSnapshot: () => undefined,
  writer: () => undefined,
};

it('an export says why the claims of its snapshot cannot be made, and tries again', async () => {
  const statuses: VirtualMachineExportStatus[] = [];
  const act: ExportActions = {
    provideToken: async () => true,
    createClaim: () =>
      Promise.reject(forbidden({ group: '', resource: 'persistentvolumeclaims' }, 'c', 'exceeded quota')),
    writeStatus: async (_, status) => {
      statuses.push(status);
      return true;
    },
    remove: async () => {},
    certificate: async () => 'PEM',
    recordEvent: () => {},
  };
  const state = { exported, lookup, url: 'https://server', hasDump: () => false, now: NOW };
  expect(await reconcileExport(state, act)).toEqual({ requeueAfterMs: 5000 });
  expect(statuses).toHaveLength(1);
  expect(statuses[0]).toMatchObject({ phase: 'Pending', tokenSecretRef: 'export-token-past' });
  const ready = statuses[0]?.conditions?.find(({ type }) => type === 'Ready');
  expect(ready).toMatchObject({ status: 'False', reason: 'NotAllPVCsCreated' });
  expect(ready?.message).toContain('exceeded quota');
});

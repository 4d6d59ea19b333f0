import type { Persisted, PersistentVolumeClaim } from '@vireo/api';
import type { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import type { VirtualMachineSnapshotContent } from '@vireo/api/kinds/snapshot/virtualMachineSnapshotContent.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { vmiWith } from '../testing/objects.ts';
import { type ExportLookup, sourceState } from './source.ts';
import { writtenClaims } from './users.ts';

const at = { namespace: 'shop' };
const exported: Persisted<VirtualMachineExport> = persisted({
  apiVersion: 'export.kubevirt.io/v1',
  kind: 'VirtualMachineExport',
  metadata: { name: 'past', ...at, uid: 'u1' },
  spec: { source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'monday' } },
});
const EMPTY: ExportLookup = {
  claim: () => undefined,
  vm: () => undefined,
  snapshot: () => undefined,
  content: () => undefined,
  volumeSnapshot: () => undefined,
  writer: () => undefined,
};

const snapshot = (readyToUse: boolean): VirtualMachineSnapshot => ({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshot',
  metadata: { name: 'monday', ...at },
  spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
  status: { readyToUse, virtualMachineSnapshotContentName: 'content' },
});

const content = (volumeSnapshotName?: string): VirtualMachineSnapshotContent => ({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  metadata: { name: 'content', ...at },
  spec: {
    source: {},
    volumeBackups: [
      {
        volumeName: 'a',
        ...(volumeSnapshotName && { volumeSnapshotName }),
        persistentVolumeClaim: {
          metadata: { name: 'root' },
          spec: {
            accessModes: ['ReadWriteOnce'],
            storageClassName: 'local',
            resources: { requests: { storage: '1Gi' } },
          },
        },
      },
    ],
  },
});

const claim = (phase: string, owner = 'u1'): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: {
    name: 'past-root',
    ...at,
    ownerReferences: [{ apiVersion: 'x', kind: 'y', name: 'z', uid: owner, controller: true }],
  },
  status: { phase: phase as 'Bound' },
});

const reasons = (lookup: Partial<ExportLookup>) => {
  const { phase, ready, others } = sourceState(exported, { ...EMPTY, ...lookup });
  return [phase, ready.reason, ...others.map(({ type, status, reason }) => `${type} ${status} ${reason}`)];
};

describe('an export of a snapshot', () => {
  it.each<[string, Partial<ExportLookup>, string[]]>([
    ['that is not there', {}, ['Skipped', 'VMSnapshotNotFound']],
    [
      'that is not ready',
      { snapshot: () => snapshot(false), content: () => content('s') },
      ['Pending', 'Initializing'],
    ],
    [
      'without volumes',
      { snapshot: () => snapshot(true), content: () => content() },
      ['Skipped', 'VMSnapshotNoVolumes', 'VolumesCreated False VMSnapshotNoVolumes'],
    ],
    [
      'whose claims are to be made',
      { snapshot: () => snapshot(true), content: () => content('s') },
      ['Pending', 'NotAllPVCsCreated', 'VolumesCreated False NotAllPVCsCreated'],
    ],
    [
      'whose claims are being made',
      { snapshot: () => snapshot(true), content: () => content('s'), claim: () => claim('Pending') },
      ['Pending', 'PodPending', 'VolumesCreated False NotAllPVCsCreated'],
    ],
    [
      "whose claim's name is another's",
      { snapshot: () => snapshot(true), content: () => content('s'), claim: () => claim('Bound', 'u2') },
      ['Pending', 'NotAllPVCsCreated', 'VolumesCreated False NotAllPVCsCreated'],
    ],
    [
      'whose claims are there',
      { snapshot: () => snapshot(true), content: () => content('s'), claim: () => claim('Bound') },
      ['Ready', 'PodReady', 'VolumesCreated True AllPVCsReady'],
    ],
  ])('%s', (_, lookup, expected) => {
    expect(reasons(lookup)).toEqual(expected);
  });

  it('wants claims that go with it, large enough for what was kept', () => {
    const { wanted, virtualMachineName } = sourceState(exported, {
      ...EMPTY,
      snapshot: () => snapshot(true),
      content: () => content('s'),
      volumeSnapshot: () => ({
        apiVersion: 'snapshot.storage.k8s.io/v1',
        kind: 'VolumeSnapshot',
        metadata: { name: 's' },
        spec: { source: {} },
        status: { restoreSize: '2Gi' },
      }),
    });
    expect(virtualMachineName).toBe('web');
    expect(wanted).toMatchObject([
      {
        metadata: { name: 'past-root', ...at, ownerReferences: [{ kind: 'VirtualMachineExport', uid: 'u1' }] },
        spec: {
          storageClassName: 'local',
          resources: { requests: { storage: '2Gi' } },
          dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 's' },
        },
      },
    ]);
  });
});

describe('the claims that a guest may write to', () => {
  const vmi = (volumes: Vmi['spec']['volumes'], status: Vmi['status'] = {}): Vmi => vmiWith(status, at, { volumes });
  const volumeStatus = (claimName: string, more = {}) => ({
    volumeStatus: [{ name: 'v', target: '', persistentVolumeClaimInfo: { claimName }, ...more }],
  });

  it.each<[string, Vmi, string[]]>([
    ['a disk', vmi([{ name: 'a', persistentVolumeClaim: { claimName: 'c' } }]), ['shop/c']],
    ['a DataVolume', vmi([{ name: 'a', dataVolume: { name: 'd' } }]), ['shop/d']],
    ['one that is only read', vmi([{ name: 'a', persistentVolumeClaim: { claimName: 'c', readOnly: true } }]), []],
    [
      'one below a layer of its own',
      vmi([{ name: 'a', ephemeral: { persistentVolumeClaim: { claimName: 'c' } } }], volumeStatus('c')),
      [],
    ],
    ['a dump that is being written', vmi([{ name: 'c', memoryDump: { claimName: 'c' } }]), ['shop/c']],
    ['a dump that was written', vmi([], volumeStatus('c', { memoryDumpVolume: { claimName: 'c' } })), []],
    ['the state of firmware', vmi([], volumeStatus('state')), ['shop/state']],
    ['of a guest that has ended', vmi([{ name: 'a', dataVolume: { name: 'd' } }], { phase: 'Succeeded' }), []],
  ])('%s', (_, vmi, expected) => {
    expect(writtenClaims(vmi)).toEqual(expected);
  });
});

import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import type { Content } from '../snapshot/kinds.ts';
import { deleting, vmiWith, vmWith } from '../testing/objects.ts';
import { restoredClaim } from './claim.ts';
import type { Restore } from './kinds.ts';
import { planVolumes, replacedDataVolumes } from './plan.ts';
import { readiness } from './readiness.ts';
import { restoredExisting, restoredNew, restoredSpec } from './restoredVm.ts';

const NOW = Date.parse('2026-01-01T12:00:00Z');

const restore = (spec: Partial<Restore['spec']> = {}, ageSeconds = 1): Restore =>
  persisted({
    apiVersion: 'snapshot.kubevirt.io/v1beta1',
    kind: 'VirtualMachineRestore',
    metadata: {
      name: 'back',
      namespace: 'shop',
      uid: 'r-1',
      creationTimestamp: new Date(NOW - ageSeconds * 1000).toISOString(),
    },
    spec: {
      target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' },
      virtualMachineSnapshotName: 'first',
      ...spec,
    },
  });

describe('whether a VM can be restored', () => {
  const running = vmiWith({ phase: 'Running' });
  it.each<[when: string, restore: Restore, vm: Vm | undefined, vmi: typeof running | undefined, is: string]>([
    ['it is not there', restore(), undefined, undefined, 'ready'],
    ['it is off', restore(), vmWith(), undefined, 'ready'],
    ['it goes', restore(), vmWith({}, {}, deleting), undefined, 'waiting'],
    ['another restore has it', restore(), vmWith({}, { restoreInProgress: 'other' }), undefined, 'waiting'],
    ['a snapshot has it', restore(), vmWith({}, { snapshotInProgress: 's' }), undefined, 'waiting'],
    ['this restore has it', restore(), vmWith({}, { restoreInProgress: 'back' }), undefined, 'ready'],
    ['it runs, and there is time', restore(), vmWith(), running, 'waiting'],
    ['it runs, and there is none', restore({}, 301), vmWith(), running, 'refused'],
    ['it must not run', restore({ targetReadinessPolicy: 'FailImmediate' }), vmWith(), running, 'refused'],
    ['it may run for ever', restore({ targetReadinessPolicy: 'WaitEventually' }, 9e5), vmWith(), running, 'waiting'],
    ['it is to be stopped', restore({ targetReadinessPolicy: 'StopTarget' }), vmWith(), running, 'toStop'],
    [
      'it is being stopped',
      restore({ targetReadinessPolicy: 'StopTarget' }),
      vmWith({ runStrategy: 'Halted' }),
      running,
      'waiting',
    ],
  ])('when %s', (_, of, vm, vmi, is) => {
    expect(readiness(of, vm, vmi, NOW).is).toBe(is);
  });
});

const kept: Vm['spec'] = {
  runStrategy: 'Always',
  dataVolumeTemplates: [{ metadata: { name: 'web-root' }, spec: {} }],
  template: {
    spec: {
      domain: { devices: {} },
      volumes: [
        { name: 'root', dataVolume: { name: 'web-root' } },
        { name: 'shared', dataVolume: { name: 'others', hotpluggable: true } },
        { name: 'data', persistentVolumeClaim: { claimName: 'data', readOnly: true } },
        { name: 'dump', memoryDump: { claimName: 'dump' } },
        { name: 'seed', cloudInitNoCloud: { userData: '' } },
      ],
    },
  },
};
const claimOf: Readonly<Record<string, string>> = { root: 'web-root', shared: 'others', data: 'data', dump: 'dump' };
const content: Content = persisted({
  apiVersion: 'snapshot.kubevirt.io/v1beta1',
  kind: 'VirtualMachineSnapshotContent',
  metadata: { name: 'c', namespace: 'shop' },
  spec: {
    source: { virtualMachine: { metadata: { name: 'web', namespace: 'shop', labels: { app: 'web' } }, spec: kept } },
    volumeBackups: [...Object.keys(claimOf), 'persistent-state-for-web'].map((volumeName) => ({
      volumeName,
      volumeSnapshotName: `vs-${volumeName}`,
      persistentVolumeClaim: {
        metadata: {
          name: claimOf[volumeName] ?? 'state',
          labels: { tier: 'gold' },
          annotations: {
            'cdi.kubevirt.io/storage.import.endpoint': 'http://x',
            'cdi.kubevirt.io/storage.contentType': 'kubevirt',
            'pv.kubernetes.io/bind-completed': 'yes',
            'example.org/mine': 'yes',
          },
        },
        spec: { storageClassName: 'local', volumeName: 'pvc-1', resources: { requests: { storage: '1Gi' } } },
      },
    })),
  },
});
const names = (of: Restore): Record<string, string> =>
  Object.fromEntries(
    planVolumes(of, content).map(({ restored }) => [restored.volumeName, restored.persistentVolumeClaim]),
  );

describe('the restored volumes', () => {
  it('are all but dumps of memory, under new names', () => {
    expect(names(restore())).toEqual({
      root: 'restore-r-1-root',
      shared: 'restore-r-1-shared',
      data: 'restore-r-1-data',
      'persistent-state-for-web': 'restore-r-1-persistent-state-for-web',
    });
  });

  it('have the names that the restore gives them', () => {
    expect(names(restore({ volumeRestorePolicy: 'InPlace' }))).toMatchObject({ root: 'web-root', data: 'data' });
    const overrides = [{ volumeName: 'data', restoreName: 'mine' }];
    expect(
      names(restore({ volumeRestorePolicy: 'PrefixTargetName', volumeRestoreOverrides: overrides })),
    ).toMatchObject({ root: 'web-root', data: 'mine' });
  });

  it('have names that are not too long, and never the same', () => {
    const target = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'a'.repeat(63) };
    const long = names(restore({ volumeRestorePolicy: 'PrefixTargetName', target }));
    expect(new Set(Object.values(long)).size).toBe(4);
    for (const name of Object.values(long)) expect(name.length).toBeLessThanOrEqual(63);
  });

  it('replace the DataVolumes of the VM', () => {
    const planned = planVolumes(restore(), content);
    expect(replacedDataVolumes(vmWith(kept), planned)).toEqual(['web-root']);
    expect(replacedDataVolumes(undefined, planned)).toEqual([]);
    expect(
      replacedDataVolumes(vmWith(kept), planVolumes(restore({ volumeRestorePolicy: 'InPlace' }), content)),
    ).toEqual([]);
  });
});

describe('a restored claim', () => {
  const of = restore({ volumeRestoreOverrides: [{ volumeName: 'root', labels: { tier: 'silver' } }] });
  const [root] = planVolumes(of, content);
  if (!root) throw new Error('there is a root');
  const draft = restoredClaim(of, content, root, { vm: vmWith(), restoreSize: '2147483648' });

  it('is as large as its data needs, and begins with it', () => {
    expect(draft.spec).toEqual({
      storageClassName: 'local',
      resources: { requests: { storage: '2147483648' } },
      dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'vs-root' },
    });
  });

  it('forgets how the old one was filled', () => {
    expect(draft.metadata).toMatchObject({
      labels: { tier: 'silver', 'restore.kubevirt.io/source-vm-name': 'web' },
      annotations: {
        'cdi.kubevirt.io/storage.contentType': 'kubevirt',
        'cdi.kubevirt.io/storage.populatedFor': 'restore-r-1-root',
        'example.org/mine': 'yes',
        'restore.kubevirt.io/lastRestoreUID': 'back-r-1',
      },
      ownerReferences: [{ uid: 'vm-uid' }],
    });
    expect(Object.keys(draft.metadata.annotations ?? {})).toHaveLength(5);
  });

  it('belongs to nobody where that is wanted', () => {
    const loose = restoredClaim(restore({ volumeOwnershipPolicy: 'None' }), content, root, {
      vm: vmWith(),
      restoreSize: undefined,
    });
    expect(loose.metadata.ownerReferences).toBeUndefined();
  });
});

describe('a restored VM', () => {
  const spec = restoredSpec(content, planVolumes(restore(), content));

  it('is on the restored claims', () => {
    expect(spec.dataVolumeTemplates).toMatchObject([{ metadata: { name: 'restore-r-1-root' } }]);
    expect(spec.template.spec?.volumes).toEqual([
      { name: 'root', dataVolume: { name: 'restore-r-1-root' } },
      { name: 'shared', persistentVolumeClaim: { claimName: 'restore-r-1-shared', hotpluggable: true } },
      { name: 'data', persistentVolumeClaim: { claimName: 'restore-r-1-data', readOnly: true } },
      { name: 'seed', cloudInitNoCloud: { userData: '' } },
    ]);
  });

  it('runs as it did if it is there, and is off if it is new', () => {
    expect(restoredExisting(vmWith({ runStrategy: 'Manual' }), spec).runStrategy).toBe('Manual');
    const old = restoredExisting(vmWith({ runStrategy: undefined, running: true }), spec);
    expect([old.running, old.runStrategy]).toEqual([false, undefined]);
    const patches = ['{"op":"add","path":"/metadata/labels/new","value":"yes"}'];
    expect(restoredNew(restore({ patches }), content, spec)).toMatchObject({
      metadata: {
        name: 'web',
        labels: { app: 'web', new: 'yes' },
        annotations: { 'restore.kubevirt.io/lastRestoreUID': 'back-r-1' },
      },
      spec: { runStrategy: 'Halted' },
    });
  });
});

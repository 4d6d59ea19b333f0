import { ControllerRevision, type KubeObject, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Clone } from '../clone/kinds.ts';
import { Restore } from '../restore/kinds.ts';
import { vmDraft } from '../testing/cluster.ts';
import { at, source, useSnapshots } from '../testing/snapshots.ts';
import { gone } from '../testing/watching.ts';
import { Content, Snapshot } from './kinds.ts';

const {
  admin,
  asked,
  stuck,
  startControllers,
  createVm,
  take,
  restore,
  until,
  ready,
  isFree,
  complete,
  eventRecorded,
} = useSnapshots();

describe('a snapshot, a restore and a clone of a VM that is off', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startControllers();
    await createVm('web');
  });
  afterAll(() => stop?.());

  it('the snapshot has the VM and its disks, and unlocks the VM', async () => {
    await take('first', 'web');
    const { status, metadata } = await ready('first');
    const vm = await isFree('web');
    expect(status).toMatchObject({
      phase: 'Succeeded',
      sourceUID: vm.metadata.uid,
      virtualMachineSnapshotContentName: `vmsnapshot-content-${metadata.uid}`,
      snapshotVolumes: { includedVolumes: ['data', 'root'], excludedVolumes: ['seed'] },
      conditions: [
        { type: 'Progressing', status: 'False', reason: 'Operation complete' },
        { type: 'Ready', status: 'True', reason: 'Ready' },
      ],
    });
    expect(status?.indications).toBeUndefined();
    const content = await admin().of(Content).get(`vmsnapshot-content-${metadata.uid}`, at);
    expect(content.spec.source.virtualMachine?.spec?.template).toEqual(vm.spec.template);
    expect(content.status?.volumeSnapshotStatus).toHaveLength(2);
    const { items } = await admin().of(VolumeSnapshot).list(at);
    expect(items.map(({ metadata: of }) => of.name).sort()).toEqual(
      ['data', 'root'].map((volume) => `vmsnapshot-${metadata.uid}-volume-${volume}`),
    );
    expect(items[0]?.metadata).toMatchObject({
      labels: { 'snapshot.kubevirt.io/source-vm-name': 'web' },
      ownerReferences: [{ kind: 'VirtualMachineSnapshotContent', uid: content.metadata.uid }],
    });
    await until<Vm>(
      Vm,
      'web',
      ({ status: of }) => of?.volumeSnapshotStatuses?.map(({ enabled }) => enabled).join() === 'true,true,false',
    );
    await eventRecorded('first', 'SuccessfulVirtualMachineSnapshotContentCreate');
  });

  it('the restore puts its state under the VM, on new claims', async () => {
    const patch = { spec: { template: { spec: { domain: { memory: { guest: '128Mi' } }, hostname: 'changed' } } } };
    await admin()
      .of(Vm)
      .patch('web', patch, { ...at, type: 'merge' });
    await restore('web', { virtualMachineSnapshotName: 'first' });
    const { status, metadata } = await complete('web');
    const vm = await isFree('web');
    const name = (volume: string): string => `restore-${metadata.uid}-${volume}`;
    expect(status).toMatchObject({
      deletedDataVolumes: ['web-root'],
      restores: [
        { volumeName: 'root', persistentVolumeClaim: name('root'), dataVolumeName: name('root') },
        { volumeName: 'data', persistentVolumeClaim: name('data') },
      ],
      restoreTime: expect.any(String),
    });
    expect(vm.spec).toMatchObject({
      runStrategy: 'Halted',
      dataVolumeTemplates: [{ metadata: { name: name('root') } }],
      template: {
        spec: {
          domain: { memory: { guest: '64Mi' } },
          volumes: [
            { name: 'root', dataVolume: { name: name('root') } },
            { name: 'data', persistentVolumeClaim: { claimName: name('data') } },
            { name: 'seed' },
          ],
        },
      },
    });
    expect(vm.spec.template.spec?.hostname).toBeUndefined();
    const claim = await admin().of(PersistentVolumeClaim).get(name('data'), at);
    expect(claim).toMatchObject({
      metadata: {
        ownerReferences: [{ kind: 'VirtualMachine', uid: vm.metadata.uid }],
        annotations: { 'restore.kubevirt.io/lastRestoreUID': `web-${metadata.uid}` },
      },
      spec: { dataSource: { kind: 'VolumeSnapshot' }, resources: { requests: { storage: '1Gi' } } },
    });
    await until<DataVolume>(DataVolume, name('root'), (volume) => volume.status?.phase === 'Succeeded');
    await gone(admin(), DataVolume, ({ metadata: of }) => of.name === 'web-root');
    await gone(admin(), PersistentVolumeClaim, ({ metadata: of }) => of.name === 'web-root');
    // The claim that the VM only used is somebody else's.
    await admin().of(PersistentVolumeClaim).get('web-data', at);
  });

  it('the clone is a VM of its own', async () => {
    await admin()
      .of(Clone)
      .create({
        metadata: { name: 'twin', ...at },
        spec: {
          source: source('web'),
          target: source('twin'),
          newSMBiosSerial: 'twin-1',
          template: { annotationFilters: ['example.org/*', '!*/leave'] },
          volumeNamePolicy: 'PrefixTargetName',
        },
      });
    const { status } = await until<Clone>(
      Clone,
      'twin',
      (clone) => clone.status?.phase === 'Succeeded' && !clone.status.snapshotName,
    );
    expect(status).toMatchObject({ targetName: 'twin', conditions: [{ type: 'Progressing' }, { status: 'True' }] });
    const [vm, web] = [await admin().of(Vm).get('twin', at), await admin().of(Vm).get('web', at)];
    expect(vm.spec).toMatchObject({
      runStrategy: 'Halted',
      template: {
        metadata: { annotations: { 'example.org/keep': 'yes' } },
        spec: {
          domain: { firmware: { serial: 'twin-1' }, devices: { interfaces: [{ name: 'default' }] } },
          volumes: [{ dataVolume: { name: 'twin-root' } }, { persistentVolumeClaim: { claimName: 'twin-data' } }, {}],
        },
      },
    });
    expect(vm.spec.template.metadata?.annotations).not.toHaveProperty('example.org/leave');
    expect(vm.spec.template.spec?.domain.devices.interfaces?.[0]?.macAddress).toBeUndefined();
    expect(vm.spec.template.spec?.domain.firmware?.uuid).not.toBe(web.spec.template.spec?.domain.firmware?.uuid);
    // What it was made with is gone; its claims are its own.
    const isHelper = ({ metadata }: KubeObject): boolean => metadata.name?.startsWith('tmp-') ?? false;
    for (const kind of [Snapshot, Restore] as const) await gone(admin(), kind, isHelper);
    const claim = await admin().of(PersistentVolumeClaim).get('twin-data', at);
    expect(claim.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', uid: vm.metadata.uid }]);
    for (const reason of ['SnapshotCreated', 'RestoreCreated', 'TargetVMCreated']) await eventRecorded('twin', reason);
  });

  it('a restore in place gives the claims their old names back', async () => {
    const before = await createVm('place');
    const { metadata: old } = await admin().of(PersistentVolumeClaim).get('place-data', at);
    await take('place-1', 'place');
    await ready('place-1');
    await restore('place', { virtualMachineSnapshotName: 'place-1', volumeRestorePolicy: 'InPlace' });
    await complete('place');
    const vm = await isFree('place');
    expect(vm.spec.template.spec?.volumes).toEqual(before.spec.template.spec?.volumes);
    const { metadata } = await admin().of(PersistentVolumeClaim).get('place-data', at);
    expect(metadata.uid).not.toBe(old.uid);
  });

  it('a new VM is made of a snapshot whose VM is gone', async () => {
    await createVm('lost');
    await take('lost-1', 'lost');
    await ready('lost-1');
    await isFree('lost');
    await admin().of(Vm).delete('lost', at);
    await gone(admin(), Vm, ({ metadata }) => metadata.name === 'lost');
    const patches = [JSON.stringify({ op: 'add', path: '/metadata/labels/again', value: 'yes' })];
    await admin()
      .of(Restore)
      .create({
        metadata: { name: 'lost', ...at },
        spec: { target: source('found'), virtualMachineSnapshotName: 'lost-1', patches },
      });
    await complete('lost');
    const vm = await admin().of(Vm).get('found', at);
    expect(vm).toMatchObject({ metadata: { labels: { again: 'yes' } }, spec: { runStrategy: 'Halted' } });
  });

  it('what a snapshot keeps goes with it, unless it is to stay', async () => {
    await take('kept', 'web', { deletionPolicy: 'Retain' });
    const [kept, first] = [await ready('kept'), await admin().of(Snapshot).get('first', at)];
    for (const name of ['kept', 'first']) await admin().of(Snapshot).delete(name, at);
    const contentOf = ({ status }: Snapshot): string => status?.virtualMachineSnapshotContentName ?? '';
    for (const name of ['kept', 'first']) await gone(admin(), Snapshot, ({ metadata }) => metadata.name === name);
    await gone(admin(), Content, ({ metadata }) => metadata.name === contentOf(first));
    await gone(admin(), VolumeSnapshot, ({ metadata }) => metadata.name?.includes(first.metadata.uid ?? '-') ?? false);
    expect((await admin().of(Content).get(contentOf(kept), at)).status?.readyToUse).toBe(true);
  });
});

describe('a VM of an instance type', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startControllers();
  });
  afterAll(() => stop?.());

  it('comes back with the type as it was', async () => {
    const types = admin().of(VirtualMachineInstancetype);
    const type = await types.create({
      metadata: { name: 'small', ...at },
      spec: { cpu: { guest: 1 }, memory: { guest: '64Mi' } },
    });
    const instancetype = { kind: VirtualMachineInstancetype.kind, name: 'small' };
    const { template } = vmDraft('typed').spec;
    await admin()
      .of(Vm)
      .create(
        vmDraft('typed', {
          runStrategy: 'Halted',
          instancetype,
          template: { spec: { ...template.spec, domain: { devices: {}, firmware: { uuid: 'u' } } } },
        }),
      );
    const revisionOf = (vm: string): string =>
      `${vm}-small-${VirtualMachineInstancetype.version}-${type.metadata.uid}-1`;
    await until<Vm>(Vm, 'typed', ({ status }) => status?.instancetypeRef?.controllerRevisionRef?.name !== undefined);
    await take('typed-1', 'typed');
    await ready('typed-1');
    await isFree('typed');
    // Whatever becomes of the VM and of the type.
    await admin().of(Vm).delete('typed', at);
    await types.delete('small', at);
    await gone(admin(), ControllerRevision, ({ metadata }) => metadata.name === revisionOf('typed'));
    await admin()
      .of(Restore)
      .create({
        metadata: { name: 'typed', ...at },
        spec: { target: source('again'), virtualMachineSnapshotName: 'typed-1' },
      });
    await complete('typed');
    const vm = await admin().of(Vm).get('again', at);
    expect(vm.spec.instancetype).toEqual({ ...instancetype, revisionName: revisionOf('again') });
    const revision = await admin().of(ControllerRevision).get(revisionOf('again'), at);
    expect(revision).toMatchObject({
      metadata: { ownerReferences: [{ kind: 'VirtualMachine', uid: vm.metadata.uid }] },
      data: { spec: { cpu: { guest: 1 } } },
    });
  });
});

describe('a VM whose snapshot or restore is gone', () => {
  it('is unlocked', async () => {
    const stop = await startControllers();
    await createVm('held');
    const status = { snapshotInProgress: 'nobody', restoreInProgress: 'nobody' };
    await admin()
      .of(Vm)
      .patchStatus('held', { status }, { ...at, type: 'merge' });
    await isFree('held');
    await stop();
  });
});

describe('a VM that runs', () => {
  let stop: () => Promise<void>;
  beforeAll(async () => {
    stop = await startControllers();
    await createVm('live', { runStrategy: 'Always' });
    await until<Vmi>(Vmi, 'live', ({ status }) => status?.phase === 'Running');
  });
  afterAll(() => stop?.());

  it('is frozen for it, and thawed; its disks are of one moment', async () => {
    const conditions = [{ type: 'AgentConnected', status: 'True' }];
    await admin()
      .of(Vmi)
      .patch('live', { status: { conditions } }, { ...at, type: 'merge' });
    await until<Vm>(
      Vm,
      'live',
      ({ status }) => status?.conditions?.some(({ type }) => type === 'AgentConnected') ?? false,
    );
    asked.length = 0;
    await take('live-1', 'live');
    const { status } = await ready('live-1');
    expect(status?.indications).toEqual(['GuestAgent', 'Online']);
    await isFree('live');
    expect([...new Set(asked)]).toEqual([
      'freeze virtualmachineinstances live',
      'unfreeze virtualmachineinstances live',
    ]);
    const { items } = await admin().of(VolumeSnapshotContent).list();
    const groups = items
      .filter(({ spec }) =>
        spec.volumeSnapshotRef.name?.includes(status?.virtualMachineSnapshotContentName?.slice(-12) ?? '-'),
      )
      .map(({ metadata }) => metadata.annotations);
    expect(groups).toHaveLength(2);
    expect(new Set(groups.map((each) => each?.['vireo.io/taken-with'])).size).toBe(1);
    expect(groups[0]).toHaveProperty(['vireo.io/taken-with-count'], '2');
  });

  it('is given up when its storage does not get there in time, and goes on', async () => {
    const claim = await admin().of(PersistentVolumeClaim).get('live-data', at);
    stuck.add(claim.spec?.volumeName ?? '');
    await take('late', 'live', { failureDeadline: '1s' });
    const { status, metadata } = await until<Snapshot>(Snapshot, 'late', (each) => each.status?.phase === 'Failed');
    expect(status).toMatchObject({
      readyToUse: false,
      error: { message: expect.stringMatching(/^snapshot deadline exceeded: VolumeSnapshot \S+ has not been taken/) },
    });
    await isFree('live');
    await gone(admin(), Content, ({ metadata: of }) => of.name === `vmsnapshot-content-${metadata.uid}`);
  });

  it('is stopped for a restore that asks for it, and refused where it must not be', async () => {
    const name = { virtualMachineSnapshotName: 'live-1' };
    await restore('refused', { ...name, target: source('live'), targetReadinessPolicy: 'FailImmediate' });
    const { status } = await until<Restore>(Restore, 'refused', ({ status: of }) =>
      (of?.conditions ?? []).some(({ type }) => type === 'Failure'),
    );
    expect(status?.complete).toBe(false);
    await restore('live', { ...name, targetReadinessPolicy: 'StopTarget' });
    await complete('live');
    expect(asked).toContain('stop virtualmachines live');
    expect((await isFree('live')).spec.runStrategy).toBe('Halted');
  });
});

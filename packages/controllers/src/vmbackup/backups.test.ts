import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { conditionOf, isDeleting, Node, PersistentVolumeClaim, Pod, Secret } from '@vireo/api';
import { BACKUP_TARGET_SECRET } from '@vireo/api/kinds/harvester/backupTarget.ts';
import {
  BACKUP_WORK_NAMESPACE,
  BACKUP_WORK_SELECTOR,
  backupWorkResult,
} from '@vireo/api/kinds/harvester/backupWork.ts';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Snapshot } from '../snapshot/kinds.ts';
import { backupsOf } from '../testing/backups.ts';
import { startBackupWorker } from '../testing/backupWorker.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { refuse } from '../testing/refusal.ts';
import { at, useSnapshots } from '../testing/snapshots.ts';
import { gone } from '../testing/watching.ts';

const snapshots = useSnapshots({ node: 'a' });
const { admin, startControllers, createVm, until } = snapshots;
const { setTarget, backUp, backup, ready, failed, restore, restored, restoreFailed } = backupsOf(snapshots);
const WORK = { namespace: BACKUP_WORK_NAMESPACE };
const WAITING = { timeout: 20_000 };

const stopping = new AbortController();
const stuck = new Set<string>();
const silent = new Set<string>();
const problems = new Map<string, string>();
let directory: string;
let stop: () => Promise<void>;

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-backups-'));
  const named = (names: Set<string>) => (request: string) => [...names].some((name) => request.includes(`/${name}-`));
  await admin()
    .of(Node)
    .create({ metadata: { name: 'a' } });
  await startBackupWorker(admin(), stopping.signal, {
    isStuck: named(stuck),
    isSilent: named(silent),
    problem: (request) => [...problems].find(([name]) => request.includes(`/${name}-`))?.[1],
  });
  stop = await startControllers();
  await setTarget(directory);
});
afterAll(async () => {
  stopping.abort();
  await stop?.();
  await rm(directory, { recursive: true, force: true });
});

/** What of backups is at the target. */
const stored = async (): Promise<string[]> =>
  (await readdir(directory, { recursive: true })).filter((file) => file.startsWith(`v1/${NAMESPACE}/`));

describe('a backup', () => {
  it('has the VM and its disks at the target, and leaves nothing else behind', async () => {
    await createVm('web');
    await backUp('monday', 'web');
    const { status, metadata } = await ready('monday');
    expect(status).toMatchObject({
      backupTarget: { endpoint: `file://${directory}` },
      progress: 100,
      source: { metadata: { name: 'web' }, spec: { runStrategy: 'Halted' } },
      volumeBackups: [
        { volumeName: 'root', readyToUse: true, progress: 100, csiDriverName: 'vireo.io/local' },
        { volumeName: 'data', readyToUse: true, progress: 100, csiDriverName: 'vireo.io/local' },
      ],
    });
    expect(status?.conditions?.map(({ type, status: of }) => `${type}=${of}`)).toEqual([
      'InProgress=False',
      'Ready=True',
      'MetadataReady=True',
    ]);
    const files = await stored();
    expect(files).toContain(`v1/${NAMESPACE}/monday-${status?.sourceUID}/backup.json`);
    await gone(admin(), Snapshot, ({ metadata: of }) => of.name === `vmbackup-${metadata.uid}`);
    await gone(admin(), Pod, ({ metadata: of }) => of.labels?.[BACKUP_WORK_SELECTOR] !== undefined);
  });

  it('as a snapshot stays on the storage, and is restored from there', async () => {
    await backUp('local', 'web', { type: 'snapshot' });
    const { status } = await ready('local');
    expect(status?.backupTarget).toBeUndefined();
    await restore('from-local', 'copy', { virtualMachineBackupName: 'local', newVM: true, haltAfterRestore: true });
    const { metadata } = await restored('from-local');
    const vm = await admin().of(Vm).get('copy', at);
    expect(vm.spec.template.spec?.volumes).toMatchObject([
      { name: 'root', persistentVolumeClaim: { claimName: `restore-${metadata.uid}-root` } },
      { name: 'data', persistentVolumeClaim: { claimName: `restore-${metadata.uid}-data` } },
      { name: 'seed' },
    ]);
    expect(await admin().of(PersistentVolumeClaim).get(`restore-${metadata.uid}-data`, at)).toMatchObject({
      spec: { dataSource: { kind: 'VolumeSnapshot' } },
    });
  });
});

describe('a restore', () => {
  it('makes a new VM, which has cards and firmware of its own, and starts it', async () => {
    await restore('new', 'web-2', { virtualMachineBackupName: 'monday', newVM: true });
    const { status, metadata } = await restored('new');
    expect(status).toMatchObject({ progress: 100, complete: true });
    const vm = await admin().of(Vm).get('web-2', at);
    expect(status?.targetUID).toBe(vm.metadata.uid);
    expect(vm.spec.runStrategy).toBe('RerunOnFailure');
    expect(vm.spec.dataVolumeTemplates).toBeUndefined();
    const { domain } = vm.spec.template.spec ?? {};
    expect(domain?.devices.interfaces?.[0]?.macAddress).toBeUndefined();
    expect(domain?.firmware?.uuid).not.toBe('5d307ca9-b3ef-428c-8861-06e72d69f223');
    const claims = admin().of(PersistentVolumeClaim);
    // What was the VM's own goes with it again; what it only used does not.
    expect((await claims.get(`restore-${metadata.uid}-root`, at)).metadata.ownerReferences).toMatchObject([
      { kind: 'VirtualMachine', uid: vm.metadata.uid },
    ]);
    expect((await claims.get(`restore-${metadata.uid}-data`, at)).metadata.ownerReferences ?? []).toEqual([]);
  });

  it('in place of a VM brings its settings back, keeps its identity, and removes the disks that it had', async () => {
    const before = await admin()
      .of(Vm)
      .patch('web', { spec: { template: { spec: { hostname: 'changed' } } } }, { ...at, type: 'merge' });
    await restore('back', 'web', { virtualMachineBackupName: 'monday', haltAfterRestore: true });
    const { status } = await restored('back');
    expect(status?.deletedVolumes).toEqual(['web-root', 'web-data']);
    const vm = await until<Vm>(Vm, 'web', (each) => each.status?.restoreInProgress === undefined);
    expect(vm.metadata.uid).toBe(before.metadata.uid);
    expect(vm.spec.template.spec?.hostname).toBeUndefined();
    expect(vm.spec.runStrategy).toBe('Halted');
    expect(vm.spec.template.spec?.domain.devices.interfaces?.[0]?.macAddress).toBe('02:00:00:00:00:01');
    await gone(admin(), PersistentVolumeClaim, ({ metadata }) => /^web-(root|data)$/.test(metadata.name ?? ''));
  });

  it('of damaged data fails, says where, and leaves neither VM nor claims', async () => {
    const chunk = (await stored()).find((file) => /monday-.*\/data\/chunks\/\d+\/\d+$/.test(file)) ?? '';
    await writeFile(join(directory, chunk), 'damaged');
    await restore('damaged', 'web-3', { virtualMachineBackupName: 'monday', newVM: true });
    const { status, metadata } = await restoreFailed('damaged');
    expect(conditionOf({ status }, 'InProgress')?.message).toMatch(/volume data: .*damaged/);
    expect(status?.complete).toBeUndefined();
    await gone(admin(), PersistentVolumeClaim, ({ metadata: of }) => of.name?.includes(metadata.uid ?? '') ?? false);
    expect(await admin().of(Vm).find('web-3', at)).toBeUndefined();
  });
});

describe('a backup that does not become one', () => {
  it('says why, and leaves nothing at the target', async () => {
    problems.set('broken', 'the disk cannot be read');
    await backUp('broken', 'copy');
    const { status } = await failed('broken');
    expect(status?.error?.message).toMatch(/^volume (root|data): the disk cannot be read$/);
    expect(status?.readyToUse).toBe(false);
    await backup('broken', ({ metadata }) => (metadata.finalizers ?? []).length === 0);
    expect((await stored()).filter((file) => file.includes('broken'))).toEqual([]);
  });

  it('says that its snapshot was refused', async () => {
    await stop();
    const { metadata } = await backUp('refused', 'copy', { type: 'snapshot' });
    const allow = await refuse(admin(), Snapshot, { name: `vmbackup-${metadata.uid}`, operations: ['CREATE'] });
    stop = await startControllers();
    const { status } = await failed('refused');
    expect(status?.error?.message).toMatch(/^the snapshot of the VM was refused: .*is refused$/);
    await snapshots.eventRecorded('refused', 'VirtualMachineBackupError');
    await allow();
  });

  it('is removed with its work when it is deleted', async () => {
    stuck.add('long');
    await backUp('long', 'copy');
    const { metadata } = await backup('long', ({ status }) => status?.volumeBackups !== undefined);
    await until<Pod>(Pod, `backup-work-${metadata.uid}-0`, () => true);
    await admin().of(HarvesterBackup).delete('long', at);
    await gone(admin(), HarvesterBackup, ({ metadata: of }) => of.name === 'long');
    expect((await stored()).filter((file) => file.includes('long'))).toEqual([]);
    await gone(admin(), Pod, ({ metadata: of }) => of.labels?.[BACKUP_WORK_SELECTOR] !== undefined);
  });
});

const poke = (name: string) =>
  admin()
    .of(Pod)
    .patch(name, { metadata: { annotations: { 'example.org/poked': 'yes' } } }, { ...WORK, type: 'merge' });

describe('a node that does not stop', () => {
  /** A backup that was deleted while its node, of which nothing is heard, goes on writing; and how it does. */
  async function deletedTooEarly(name: string) {
    for (const names of [stuck, silent]) names.add(name);
    await backUp(name, 'copy');
    const { metadata, status } = await backup(name, (each) => each.status?.volumeBackups !== undefined);
    const pods = [0, 1].map((index) => `backup-work-${metadata.uid}-${index}`);
    for (const pod of pods) await until<Pod>(Pod, pod, () => true);
    await admin().of(HarvesterBackup).delete(name, at);
    for (const pod of pods) await until<Pod>(Pod, pod, isDeleting);
    const chunks = join(directory, `v1/${NAMESPACE}/${name}-${status?.sourceUID}/volumes/root/chunks/0`);
    const write = async (): Promise<void> => {
      await mkdir(chunks, { recursive: true });
      await writeFile(join(chunks, '7'), 'late');
    };
    await write();
    return { pods, write };
  }
  const removed = async (name: string) => {
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === name);
    await gone(admin(), Pod, ({ metadata: of }) => of.labels?.[BACKUP_WORK_SELECTOR] !== undefined);
    expect((await stored()).filter((file) => file.includes(`/${name}-`))).toEqual([]);
  };

  it('is waited for: what it writes last is removed as well', async () => {
    const { pods, write } = await deletedTooEarly('late');
    silent.delete('late');
    await poke(pods[1] ?? '');
    await gone(admin(), Pod, ({ metadata }) => metadata.name === pods[1]);
    expect((await backup('late', () => true)).metadata.finalizers).toHaveLength(1);
    await write();
    await poke(pods[0] ?? '');
    await removed('late');
  });

  it('is waited for no more when its host is off by the word of an administrator', async () => {
    await deletedTooEarly('lost');
    const taints = [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }];
    await admin().of(Node).patch('a', { spec: { taints } }, { type: 'merge' });
    await removed('lost');
    await admin()
      .of(Node)
      .patch('a', { spec: { taints: null } }, { type: 'merge' });
  });

  it('is waited for even if somebody lets go of the backup', async () => {
    const { pods, write } = await deletedTooEarly('forced');
    await admin()
      .of(HarvesterBackup)
      .patch('forced', { metadata: { finalizers: null } }, { ...at, type: 'merge' });
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === 'forced');
    expect((await stored()).filter((file) => file.includes('/forced-'))).not.toEqual([]);
    silent.delete('forced');
    await poke(pods[1] ?? '');
    await gone(admin(), Pod, ({ metadata }) => metadata.name === pods[1]);
    await write();
    await poke(pods[0] ?? '');
    await removed('forced');
  });
});

describe('controllers that died', () => {
  const ofBackup = async (name: string) => (await stored()).filter((file) => file.includes(`/${name}-`));
  const nothingOf = async (name: string) => {
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === name);
    await expect.poll(() => ofBackup(name), WAITING).toEqual([]);
    await gone(admin(), Pod, ({ metadata: of }) => of.labels?.[BACKUP_WORK_SELECTOR] !== undefined);
    await gone(
      admin(),
      Snapshot,
      ({ metadata: of }) => of.ownerReferences?.some((owner) => owner.name === name) ?? false,
    );
  };
  /** A backup of which all volumes are at the target, and nothing else: the controllers ended before they said so. */
  async function copied(name: string): Promise<void> {
    stuck.add(name);
    await backUp(name, 'died');
    const { metadata } = await backup(name, ({ status }) => status?.volumeBackups !== undefined);
    const pods = [0, 1].map((index) => `backup-work-${metadata.uid}-${index}`);
    for (const pod of pods) await until<Pod>(Pod, pod, () => true);
    await stop();
    stuck.delete(name);
    for (const pod of pods) {
      await poke(pod);
      await until<Pod>(Pod, pod, (each) => backupWorkResult(each) !== undefined);
    }
    const files = await ofBackup(name);
    expect(files.some((file) => file.endsWith('/begun.json'))).toBe(true);
    expect(files.some((file) => file.endsWith('/backup.json'))).toBe(false);
  }
  /** A backup whose removal had begun when the controllers ended. */
  async function halfRemoved(name: string): Promise<void> {
    await backUp(name, 'died');
    await ready(name);
    await stop();
    await admin().of(HarvesterBackup).delete(name, at);
    const [document = ''] = (await ofBackup(name)).filter((file) => file.endsWith('/backup.json'));
    await rm(join(directory, document));
  }
  const release = (name: string) =>
    admin()
      .of(HarvesterBackup)
      .patch(name, { metadata: { finalizers: null } }, { ...at, type: 'merge' });

  beforeAll(async () => {
    await createVm('died');
  });

  it('after the last volume make the backup when they are back', async () => {
    await copied('resumed');
    stop = await startControllers();
    await ready('resumed');
    expect((await ofBackup('resumed')).some((file) => file.endsWith('/backup.json'))).toBe(true);
    await admin().of(HarvesterBackup).delete('resumed', at);
    await nothingOf('resumed');
  });

  it('after the last volume leave nothing of a backup that is deleted meanwhile', async () => {
    await copied('cancelled');
    await admin().of(HarvesterBackup).delete('cancelled', at);
    stop = await startControllers();
    await nothingOf('cancelled');
  });

  it('during a removal go on with it', async () => {
    await halfRemoved('removed');
    stop = await startControllers();
    await nothingOf('removed');
  });

  it('find what nobody knows any more, and leave the work of others and of backups alone', async () => {
    await halfRemoved('forgotten');
    const others = join(directory, `v1/${NAMESPACE}/others-u-1`);
    await mkdir(others);
    await writeFile(join(others, 'begun.json'), '{"home":"another"}');
    await release('forgotten');
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === 'forgotten');
    expect(await ofBackup('forgotten')).not.toEqual([]);
    stop = await startControllers();
    await nothingOf('forgotten');
    expect(await ofBackup('others')).toHaveLength(2);
    await rm(others, { recursive: true });
  });

  it('find what is left of a failed backup whose target was away', async () => {
    stuck.add('moved');
    await backUp('moved', 'died');
    const { metadata } = await backup('moved', ({ status }) => status?.volumeBackups !== undefined);
    await until<Pod>(Pod, `backup-work-${metadata.uid}-0`, () => true);
    await setTarget(undefined);
    await failed('moved');
    await backup('moved', (each) => (each.metadata.finalizers ?? []).length === 0);
    expect(await ofBackup('moved')).not.toEqual([]);
    await setTarget(directory);
    await expect.poll(() => ofBackup('moved'), WAITING).toEqual([]);
    await admin().of(HarvesterBackup).delete('moved', at);
    await nothingOf('moved');
  });
});

describe('a target', () => {
  it('makes known the backups that are in it', async () => {
    await createVm('shared');
    await backUp('kept', 'shared');
    await ready('kept');
    await setTarget(undefined);
    // Without a target there is nothing to remove it from.
    await admin().of(HarvesterBackup).delete('kept', at);
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === 'kept');
    await setTarget(directory);
    const found = await ready('kept');
    expect(found).toMatchObject({
      metadata: { annotations: { 'vireo.io/found-on-backup-target': 'true' } },
      spec: { type: 'backup', source: { name: 'shared' } },
      status: {
        volumeBackups: [
          { volumeName: 'root', readyToUse: true },
          { volumeName: 'data', readyToUse: true },
        ],
      },
    });
    await admin().of(HarvesterBackup).delete('kept', at);
    await gone(admin(), HarvesterBackup, ({ metadata }) => metadata.name === 'kept');
    expect((await stored()).filter((file) => file.includes('kept'))).toEqual([]);
  });

  it('that is none says why, and what was used before is used no more', async () => {
    await admin()
      .of(Setting)
      .patch(BACKUP_TARGET_SETTING, { value: '{"type":"tape","endpoint":"x"}' }, { type: 'merge' });
    const { status } = await until<Setting>(
      Setting,
      BACKUP_TARGET_SETTING,
      (setting) => conditionOf(setting, 'configured')?.reason === 'Invalid',
    );
    expect(status?.conditions?.[0]?.message).toMatch(/type/);
  });

  it('keeps its keys in a Secret, and shows them to nobody', async () => {
    const place = { type: 'directory', endpoint: `file://${directory}` };
    const value = JSON.stringify({ ...place, accessKeyId: 'who', secretAccessKey: 'sesame' });
    const applied = { 'kubectl.kubernetes.io/last-applied-configuration': JSON.stringify({ value }) };
    const settings = admin().of(Setting);
    // As `kubectl apply` writes it.
    await settings.patch(BACKUP_TARGET_SETTING, { value, metadata: { annotations: applied } }, { type: 'merge' });
    const setting = await until<Setting>(
      Setting,
      BACKUP_TARGET_SETTING,
      (each) => conditionOf(each, 'configured')?.status === 'True',
    );
    expect(JSON.parse(setting.value ?? '')).toMatchObject({ ...place, accessKeyId: '', secretAccessKey: '' });
    expect(JSON.stringify(setting)).not.toContain('sesame');
    const { name, namespace } = BACKUP_TARGET_SECRET;
    const { data } = await admin().of(Secret).get(name, { namespace });
    expect(Object.values(data ?? {}).map((each) => Buffer.from(each, 'base64').toString())).toContain('sesame');
    // Earlier versions of Vireo have left it.
    await settings.patch(BACKUP_TARGET_SETTING, { metadata: { annotations: applied } }, { type: 'merge' });
    await until<Setting>(Setting, BACKUP_TARGET_SETTING, (each) => !JSON.stringify(each).includes('sesame'));
  });
});

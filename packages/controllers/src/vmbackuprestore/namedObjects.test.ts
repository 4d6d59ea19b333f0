import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ConfigMap, ControllerRevision, conditionOf, Namespace, Node, PersistentVolumeClaim, Secret } from '@vireo/api';
import type { JsonObject } from '@vireo/api/json.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { SSH_NAMES } from '@vireo/api/kinds/harvester/names.ts';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type BackupStore, backupPrefix, commitBackup, openStore, readBackup } from '@vireo/backup';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { acceptedId } from '../backuptarget/value.ts';
import { backupsOf } from '../testing/backups.ts';
import { startBackupWorker } from '../testing/backupWorker.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { refuse } from '../testing/refusal.ts';
import { at, source, useSnapshots } from '../testing/snapshots.ts';
import { prefixOf } from '../vmbackup/prefix.ts';
import { LAST_RESTORE } from './plan.ts';

const snapshots = useSnapshots({ node: 'a' });
const { admin, startControllers, createVm, eventRecorded, until } = snapshots;
const { setTarget, backUp, ready, restore, restored, restoreFailed } = backupsOf(snapshots);

const elsewhere = { namespace: 'elsewhere' };
const KEY = { publicKey: 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGqRlMx1kYOIRqJ0wMbQp0hYbVQH5nYx1v6a0l3mXJ3D jane' };
const text = (value: string): string => Buffer.from(value).toString('base64');
const stopping = new AbortController();
let directory: string;
let stop: () => Promise<void>;

const configMap = (name: string, namespace = NAMESPACE) => admin().of(ConfigMap).find(name, { namespace });
const vm = (name: string, { namespace } = at) => admin().of(Vm).get(name, { namespace });
const volumesOf = ({ spec }: Vm) => spec.template.spec?.volumes ?? [];

async function withStore(use: (store: BackupStore) => Promise<void>): Promise<void> {
  const target = { type: 'directory' as const, endpoint: `file://${directory}` };
  const id = acceptedId(await admin().of(Setting).get(BACKUP_TARGET_SETTING), target);
  const store = await openStore({ ...target, id }, {}, { runtimeDirectory: directory });
  await use(store);
  await store.close();
}

/** Backs a VM up, and has somebody change what the target keeps of it. */
async function edited(name: string, edit: (document: JsonObject) => JsonObject): Promise<void> {
  await backUp(name, 'web');
  const prefix = prefixOf(await ready(name)) ?? '';
  await withStore(async (store) => commitBackup(store, prefix, edit((await readBackup(store, prefix)) ?? {})));
}

/** Has somebody write a backup without disks to the target, of a VM that they have thought up. */
async function forged(name: string, spec: Partial<Vm['spec']>, more: JsonObject = {}): Promise<void> {
  const uid = `uid-of-${name}`;
  const whole = { runStrategy: 'Halted', template: { spec: { domain: { devices: {} } } }, ...spec };
  await withStore((store) =>
    commitBackup(store, backupPrefix({ namespace: NAMESPACE, name, uid }), {
      metadata: { namespace: NAMESPACE, name },
      spec: { source: source('web'), type: 'backup' },
      status: { sourceUID: uid, volumeBackups: [], readyToUse: true, source: { metadata: { name }, spec: whole } },
      volumes: {},
      revisions: [],
      ...more,
    } as unknown as JsonObject),
  );
  // Whoever looks at a target anew finds what is there.
  await setTarget(undefined);
  await setTarget(directory);
  await ready(name);
}

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-backups-'));
  await admin()
    .of(Node)
    .create({ metadata: { name: 'a' } });
  await admin()
    .of(Namespace)
    .create({ metadata: { name: elsewhere.namespace } });
  await startBackupWorker(admin(), stopping.signal);
  stop = await startControllers();
  await setTarget(directory);

  const maps = admin().of(ConfigMap);
  await maps.create({ metadata: { name: 'settings', ...at }, data: { mode: 'old' } });
  await maps.create({
    metadata: { name: 'answers', ...at },
    data: { 'unattend.xml': '<old/>' },
    binaryData: { logo: 'AAEC' },
  });
  await admin()
    .of(Secret)
    .create({ metadata: { name: 'password', ...at }, data: { key: text('old') } });
  await admin()
    .of(KeyPair)
    .create({ metadata: { name: 'jane', ...at }, spec: KEY });
  await createVm('web');
  const { spec } = await vm('web');
  const template = {
    metadata: { annotations: { [SSH_NAMES]: JSON.stringify([`${NAMESPACE}/jane`, 'others/john']) } },
    spec: {
      networks: [
        { name: 'default', pod: {} },
        { name: 'blue', multus: { networkName: 'blue' } },
        { name: 'red', multus: { networkName: 'infra/red' } },
      ],
      volumes: [
        ...(spec.template.spec?.volumes ?? []),
        { name: 'settings', configMap: { name: 'settings' } },
        { name: 'answers', sysprep: { configMap: { name: 'answers' } } },
        { name: 'trust', configMap: { name: 'kube-root-ca.crt' } },
        { name: 'lost', configMap: { name: 'lost', optional: true } },
        { name: 'password', secret: { secretName: 'password' } },
      ],
    },
  };
  await admin()
    .of(Vm)
    .patch('web', { spec: { template } }, { ...at, type: 'merge' });
  await backUp('monday', 'web');
  await ready('monday');
});
afterAll(async () => {
  stopping.abort();
  await stop?.();
  await rm(directory, { recursive: true, force: true });
});

describe('the objects that a VM names', () => {
  it('are made in a namespace that has none of them, as they were', async () => {
    await restore('moved', 'moved', { virtualMachineBackupName: 'monday', newVM: true }, elsewhere);
    await restored('moved');
    const { namespace } = elsewhere;
    expect(await configMap('settings', namespace)).toMatchObject({ data: { mode: 'old' } });
    expect(await configMap('answers', namespace)).toMatchObject({
      data: { 'unattend.xml': '<old/>' },
      binaryData: { logo: 'AAEC' },
    });
    expect(await configMap('lost', namespace)).toBeUndefined();
    expect(await admin().of(Secret).get('password', elsewhere)).toMatchObject({ data: { key: text('old') } });
    expect(await admin().of(KeyPair).get('jane', elsewhere)).toMatchObject({ spec: KEY });
    const made = await vm('moved', elsewhere);
    expect(volumesOf(made).slice(3)).toEqual([
      { name: 'settings', configMap: { name: 'settings' } },
      { name: 'answers', sysprep: { configMap: { name: 'answers' } } },
      { name: 'trust', configMap: { name: 'kube-root-ca.crt' } },
      { name: 'lost', configMap: { name: 'lost', optional: true } },
      { name: 'password', secret: { secretName: 'password' } },
    ]);
    expect(made.spec.template.metadata?.annotations?.[SSH_NAMES]).toBe('["elsewhere/jane","others/john"]');
  });

  it('stay what they are if they differ: a new VM gets copies', async () => {
    const patch = { ...at, type: 'merge' as const };
    await admin()
      .of(ConfigMap)
      .patch('settings', { data: { mode: 'new' } }, patch);
    await admin().of(ConfigMap).delete('answers', at);
    await admin()
      .of(Secret)
      .patch('password', { data: { key: text('new') } }, patch);
    const other = `${KEY.publicKey}-of-work`;
    await admin()
      .of(KeyPair)
      .patch('jane', { spec: { publicKey: other } }, patch);
    await restore('new', 'web-2', { virtualMachineBackupName: 'monday', newVM: true });
    const { metadata } = await restored('new');
    const copyOf = (name: string): string => `web-2-${name}-${metadata.uid?.slice(0, 8)}`;
    expect(await configMap('settings')).toMatchObject({ data: { mode: 'new' } });
    expect(await configMap(copyOf('settings'))).toMatchObject({ data: { mode: 'old' } });
    expect(await configMap('answers')).toMatchObject({ data: { 'unattend.xml': '<old/>' } });
    expect(await admin().of(Secret).get(copyOf('password'), at)).toMatchObject({ data: { key: text('old') } });
    expect(await admin().of(KeyPair).get('jane', at)).toMatchObject({ spec: { publicKey: other } });
    expect((await admin().of(KeyPair).list(at)).items).toHaveLength(1);
    const made = await vm('web-2');
    expect(volumesOf(made)).toEqual(
      expect.arrayContaining([
        { name: 'settings', configMap: { name: copyOf('settings') } },
        { name: 'answers', sysprep: { configMap: { name: 'answers' } } },
        { name: 'password', secret: { secretName: copyOf('password') } },
      ]),
    );
    // Copies are of use to that VM alone. Others may have begun to use what was only missing.
    const owners = [{ kind: 'VirtualMachine', name: 'web-2', uid: made.metadata.uid }];
    for (const name of ['settings', 'password'].map(copyOf))
      expect((await configMap(name)) ?? (await admin().of(Secret).get(name, at))).toMatchObject({
        metadata: { ownerReferences: owners },
      });
    expect((await configMap('answers'))?.metadata.ownerReferences).toBeUndefined();
  });

  it('are used as they are by a VM that is replaced', async () => {
    await restore('back', 'web', { virtualMachineBackupName: 'monday', haltAfterRestore: true });
    await restored('back');
    expect(await configMap('settings')).toMatchObject({ data: { mode: 'new' } });
    expect(volumesOf(await vm('web'))).toEqual(
      expect.arrayContaining([
        { name: 'settings', configMap: { name: 'settings' } },
        { name: 'password', secret: { secretName: 'password' } },
      ]),
    );
  });

  it('are not there in backups of earlier versions, which are restored all the same', async () => {
    await edited('earlier', ({ configMaps: _, keyPairs: __, ...document }) => document);
    await admin().of(ConfigMap).delete('answers', at);
    await restore('early', 'early', { virtualMachineBackupName: 'earlier', newVM: true });
    await restored('early');
    expect(await configMap('answers')).toBeUndefined();
    expect(volumesOf(await vm('early'))).toContainEqual({
      name: 'answers',
      sysprep: { configMap: { name: 'answers' } },
    });
  });
});

describe('a backup that somebody has changed at the target', () => {
  it('cannot bring ConfigMaps that nobody could create, and says which', async () => {
    const answers = { name: 'answers', data: { 'not a key': '' } };
    await edited('invalid', (document) => ({ ...document, configMaps: [answers] }));
    await restore('invalid', 'invalid', { virtualMachineBackupName: 'invalid', newVM: true });
    const { status } = await restoreFailed('invalid');
    expect(conditionOf({ status }, 'Ready')?.message).toMatch(/ConfigMap "answers" is invalid: .*not a key/);
    expect(await admin().of(Vm).find('invalid', at)).toBeUndefined();
  });

  it('cannot bring objects that its VM does not name, nor anything but their contents', async () => {
    const answers = { name: 'answers', metadata: { name: 'other', namespace: 'kube-system' }, immutable: true };
    const more = { name: 'more', data: {} };
    await edited('more', (document) => ({ ...document, configMaps: [answers, more] }));
    await restore('more', 'more', { virtualMachineBackupName: 'more', newVM: true });
    await restored('more');
    expect(await configMap('more')).toBeUndefined();
    expect(await configMap('other', 'kube-system')).toBeUndefined();
    expect((await configMap('answers'))?.immutable).toBeUndefined();
  });
});

describe('a backup that somebody has made up at the target', () => {
  const reading = { source: { pvc: { namespace: 'others', name: 'ledger' } }, storage: {} };
  const templates = [{ metadata: { name: 'stolen' }, spec: reading }];

  it('cannot have disks of other namespaces copied', async () => {
    const template = { spec: { domain: { devices: {} }, volumes: [{ name: 'root', dataVolume: { name: 'stolen' } }] } };
    await forged('copies', { dataVolumeTemplates: templates, template });
    await restore('copies', 'copies', { virtualMachineBackupName: 'copies', newVM: true });
    const { status } = await restoreFailed('copies');
    expect(conditionOf({ status }, 'Ready')?.message).toBe('the backup has no data of volume root');
    expect(await admin().of(Vm).find('copies', at)).toBeUndefined();
    await forged('templates', { dataVolumeTemplates: templates });
    await restore('templates', 'templates', { virtualMachineBackupName: 'templates', newVM: true });
    await restored('templates');
    expect((await vm('templates')).spec.dataVolumeTemplates).toBeUndefined();
    expect(await admin().of(DataVolume).find('stolen', at)).toBeUndefined();
  });

  it('cannot have its VM use claims that are there', async () => {
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'web-data' } }];
    await forged('claims', { template: { spec: { domain: { devices: {} }, volumes } } });
    await restore('claims', 'claims', { virtualMachineBackupName: 'claims', newVM: true });
    const { status } = await restoreFailed('claims');
    expect(conditionOf({ status }, 'Ready')?.message).toBe('the backup has no data of volume data');
  });

  it('brings revisions that its VM names, which go with the VM, and no others', async () => {
    const revision = (name: string) => ({ name, data: { metadata: { name } }, revision: 1 });
    const instancetype = { kind: 'VirtualMachineInstancetype', name: 'small', revisionName: 'small' };
    await forged('typed', { instancetype }, { revisions: [revision('small'), revision('large')] });
    await restore('typed', 'typed', { virtualMachineBackupName: 'typed', newVM: true, haltAfterRestore: true });
    await restored('typed');
    const { metadata, spec } = await vm('typed');
    expect(spec.instancetype?.revisionName).toBe('typed-small');
    const made = await admin().of(ControllerRevision).get('typed-small', at);
    expect(made.metadata.ownerReferences).toMatchObject([{ kind: 'VirtualMachine', uid: metadata.uid }]);
    expect(await admin().of(ControllerRevision).find('typed-large', at)).toBeUndefined();
  });
});

describe('a restore that fails', () => {
  const undone = { namespace: 'undone' };
  const ended = (name: string) =>
    until<HarvesterRestore>(HarvesterRestore, name, ({ metadata }) => (metadata.finalizers ?? []).length === 0);

  it('leaves nothing that it has made, and all that was there', async () => {
    const { namespace } = undone;
    const revisions = [{ name: 'small', data: { metadata: { name: 'small' } }, revision: 1 }];
    const { spec } = await vm('web');
    const { volumes = [], ...rest } = spec.template.spec ?? { domain: { devices: {} } };
    const template = { ...spec.template, spec: { ...rest, volumes: volumes.slice(3) } };
    const instancetype = { kind: 'VirtualMachineInstancetype', name: 'small', revisionName: 'small' };
    await forged(
      'whole',
      { template, instancetype },
      {
        revisions,
        configMaps: ['settings', 'answers'].map((name) => ({ name, data: { mode: 'old' } })),
        secrets: [{ name: 'password', data: { key: text('old') } }],
        keyPairs: [{ name: 'jane', spec: KEY }],
      },
    );
    await admin()
      .of(Namespace)
      .create({ metadata: { name: namespace } });
    const answers = { metadata: { name: 'answers', ...undone }, data: { mode: 'old' } };
    const before = [
      await admin().of(ConfigMap).create(answers),
      await admin()
        .of(Secret)
        .create({ metadata: { name: 'password', ...undone }, data: { key: text('new') } }),
      await admin()
        .of(ControllerRevision)
        .create({ metadata: { name: 'small', ...undone }, data: {}, revision: 1 }),
    ];
    const allow = await refuse(admin(), Vm, { name: 'refused', operations: ['CREATE'] });
    await restore('refused', 'refused', { virtualMachineBackupName: 'whole', newVM: true }, undone);
    const { status } = await restoreFailed('refused');
    expect(conditionOf({ status }, 'Ready')?.message).toMatch(/refused is refused/);
    await ended('refused');
    const left = [ConfigMap, Secret, KeyPair, ControllerRevision, PersistentVolumeClaim].map(async (kind) => {
      const { items } = await admin().of(kind).list(undone);
      return items.filter(({ metadata }) => metadata.name !== 'kube-root-ca.crt');
    });
    expect((await Promise.all(left)).flat()).toEqual(before);
    await allow();
  });

  it('leaves what another restore has come to use', async () => {
    // As a restore leaves it that has made it and not ended.
    const metadata = { name: 'settings', ...undone, annotations: { [LAST_RESTORE]: 'first-1' } };
    await admin()
      .of(ConfigMap)
      .create({ metadata, data: { mode: 'old' } });
    await restore('second', 'second', { virtualMachineBackupName: 'whole', newVM: true }, undone);
    await restored('second');
    expect((await configMap('settings', undone.namespace))?.metadata.annotations?.[LAST_RESTORE]).toBeUndefined();
  });
});

describe('networks that are missing', () => {
  it('are named by the restore, which succeeds', async () => {
    const definition = { metadata: { name: 'blue', ...at }, spec: { config: '{}' } };
    await admin().of(NetworkAttachmentDefinition).create(definition);
    await restore('offline', 'offline', { virtualMachineBackupName: 'monday', newVM: true });
    const message =
      'NetworkAttachmentDefinition infra/red does not exist; VirtualMachine offline cannot start until you create it or change spec.template.spec.networks: backups contain no networks';
    expect(conditionOf(await restored('offline'), 'Ready')).toMatchObject({
      status: 'True',
      reason: 'NetworksMissing',
      message,
    });
    expect(await eventRecorded('offline', 'NetworksMissing')).toMatchObject({ type: 'Warning', message });
  });
});

import { Namespace, PersistentVolumeClaim, Role, RoleBinding } from '@vireo/api';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { HarvesterQuota, QUOTA_NAME } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { SCHEDULE_LABEL, ScheduleVmBackup } from '@vireo/api/kinds/harvester/scheduleVmBackup.ts';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { FOUND_BACKUP, HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore, RESTORE_PROTECTION } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Client, parseWarnings } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { vmsOf } from '../testing/harvester.ts';
import { type Installation, install } from '../testing/installation.ts';
import { bind, testUser } from '../testing/roles.ts';

const at = { namespace: 'default' };
const elsewhere = { namespace: 'others' };
const vm = (name: string) => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });
const domain = (devices: object) => ({ devices, memory: { guest: '64Mi' } });
const disks = (disk: object = {}) => [{ name: 'root', disk: { bus: 'virtio' }, ...disk }];

let installation: Installation;
const client = () => installation.server.client;
const backups = () => client().of(HarvesterBackup);
const restores = (by = client()) => by.of(HarvesterRestore);
const backUp = (spec: Partial<HarvesterBackup['spec']>, metadata: object = {}, by = client()) =>
  by.of(HarvesterBackup).create({
    metadata: { generateName: 'b-', ...at, ...metadata },
    spec: { source: vm('web'), type: 'backup', ...spec },
  });
const restore = (spec: Partial<HarvesterRestore['spec']>, { by = client(), name = '' } = {}) =>
  restores(by).create({
    metadata: { ...(name ? { name } : { generateName: 'r-' }), ...at },
    spec: {
      target: vm('new'),
      newVM: true,
      virtualMachineBackupName: 'done',
      virtualMachineBackupNamespace: '',
      ...spec,
    },
  });
const setTarget = (condition: object) =>
  client()
    .of(Setting)
    .patchStatus(BACKUP_TARGET_SETTING, { status: { conditions: [condition] } }, { type: 'merge' });
const controllers = () =>
  new Client(
    installation.server.inProcess({
      username: 'system:serviceaccount:kubevirt:kubevirt-controller',
      groups: ['system:masters'],
    }),
  );

/** A backup as the controllers leave one that they have found. */
async function whole(name: string, of: string, { namespace } = at, spec: object = {}, template = {}): Promise<void> {
  const source = await vmsOf(installation).vms.find(of, at);
  const annotations = { [FOUND_BACKUP]: 'true' };
  await backUp({ source: vm(of), ...spec }, { generateName: undefined, name, namespace, annotations }, controllers());
  const status = {
    readyToUse: true,
    sourceUID: source?.metadata.uid ?? 'gone',
    source: { metadata: { name: of }, spec: { template: { spec: { domain: domain({}), ...template } } } },
  };
  await backups().patchStatus(name, { status }, { namespace, type: 'merge' });
}

const COPY_DISKS = { apiGroups: ['cdi.kubevirt.io'], resources: ['datavolumes/source'], verbs: ['create'] };

/** Gives a user rules of a namespace. */
async function grantIn(namespace: string, user: string, role: string, rules: NonNullable<Role['rules']>) {
  const metadata = { name: `${user}-${role}`, namespace };
  const group = 'rbac.authorization.k8s.io';
  await client().of(Role).create({ metadata, rules });
  await client()
    .of(RoleBinding)
    .create({
      metadata,
      roleRef: { apiGroup: group, kind: 'Role', name: metadata.name },
      subjects: [{ apiGroup: group, kind: 'User', name: user }],
    });
}

beforeAll(async () => {
  installation = await install();
  const { createVm, createVmi, patchVmStatus } = vmsOf(installation);
  await client()
    .of(Namespace)
    .create({ metadata: { name: 'others' } });
  await client()
    .of(Setting)
    .create({ metadata: { name: BACKUP_TARGET_SETTING }, value: '', default: '' });
  await createVm('web');
  await createVm('running', 'Manual');
  await createVmi('running');
  await createVm('moving', 'Manual');
  await createVmi('moving');
  await client()
    .of(Migration)
    .create({ metadata: { name: 'move', ...at }, spec: { vmiName: 'moving' } });
  const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'root' } }];
  const claim = { accessModes: ['ReadWriteOnce' as const], resources: { requests: { storage: '1Gi' } } };
  await client()
    .of(PersistentVolumeClaim)
    .create({ metadata: { name: 'root', ...at }, spec: claim });
  const shared = { domain: domain({ disks: disks({ shareable: true }) }), volumes };
  await createVm('sharing', 'Halted', { template: { spec: shared } });
  const onClaim = { template: { spec: { domain: domain({ disks: disks() }), volumes } } };
  await createVm('large', 'Halted', onClaim);
  await createVm('rigid', 'Halted', onClaim);
  await patchVmStatus('rigid', { volumeSnapshotStatuses: [{ name: 'root', enabled: false, reason: 'no class' }] });
  await client()
    .of(HarvesterQuota)
    .create({
      metadata: { name: QUOTA_NAME, ...at },
      spec: { snapshotLimit: { namespaceTotalSnapshotSizeQuota: 0, vmTotalSnapshotSizeQuota: { large: 1 } } },
    });
  await whole('done', 'web');
  await whole('of-running', 'running');
  await whole('of-gone', 'gone');
  await whole('theirs', 'web', elsewhere);
  await whole('local', 'web', elsewhere, { type: 'snapshot' });
  await whole('namesake', 'large', elsewhere);
  await backups().patchStatus('namesake', { status: { sourceUID: 'another' } }, { ...elsewhere, type: 'merge' });
  await bind(client(), 'jane', 'admin');
  await setTarget({ type: 'configured', status: 'True' });
}, 60_000);
afterAll(() => installation?.close());

describe('a backup', () => {
  it.each<[what: string, spec: Partial<HarvesterBackup['spec']>, metadata: object, why: string]>([
    ['of no VM', { source: vm('moon') }, {}, 'VirtualMachine "moon" does not exist'],
    ['of another kind', { source: { ...vm('web'), kind: 'Pod' } }, {}, 'invalid kind "Pod"'],
    ['of a VM that moves', { source: vm('moving') }, {}, '"moving" is being migrated; wait until'],
    ['of a shareable disk', { source: vm('sharing') }, {}, '"sharing" has the shareable disk root'],
    [
      'of what has no snapshots',
      { source: vm('rigid') },
      {},
      'volume root, of which no snapshot can be taken: no class',
    ],
    ['beyond the quota', { source: vm('large') }, {}, 'requested: 1Gi, used: 0, limited: 1'],
    ['with no deadline', { fsFreezeDeadline: 'soon' }, {}, 'spec.fsFreezeDeadline is "soon"'],
    ['with a long name', {}, { name: 'x'.repeat(201) }, 'no more than 200 characters'],
    [
      'that was found',
      {},
      { annotations: { [FOUND_BACKUP]: 'true' } },
      `metadata.annotations[${FOUND_BACKUP}] is for backups that Vireo finds at the target`,
    ],
    [
      'that a schedule is named on',
      {},
      { annotations: { [SCHEDULE_LABEL]: 'default/nightly' } },
      `metadata.annotations[${SCHEDULE_LABEL}] is for backups that a ScheduleVMBackup makes`,
    ],
    [
      'with the uid of a schedule',
      {},
      { labels: { [SCHEDULE_LABEL]: '5d307ca9' } },
      `metadata.labels[${SCHEDULE_LABEL}] is for backups that a ScheduleVMBackup makes`,
    ],
  ])('%s is refused', async (_, spec, metadata, why) => {
    await expect(backUp(spec, metadata)).rejects.toMatchObject({ message: expect.stringContaining(why) });
  });

  it.each<[what: string, source: string, why: string]>([
    ['of no VM', 'moon', '"moon" does not exist'],
    ['of a VM that moves', 'moving', '"moving" is being migrated; wait until'],
    ['beyond the quota', 'large', 'exceeded quota of snapshots of VirtualMachine default/large'],
  ])('%s is refused to a schedule, too', async (_, source, why) => {
    const marks = { [SCHEDULE_LABEL]: 'default/nightly' };
    const made = (name: string) =>
      backUp(
        { source: vm(name), type: 'snapshot' },
        { annotations: marks, labels: { [SCHEDULE_LABEL]: '1' } },
        controllers(),
      );
    await expect(made(source)).rejects.toMatchObject({ message: expect.stringContaining(why) });
    await made('web');
  });

  it('needs a target that can be used, unless it is a snapshot', async () => {
    await setTarget({ type: 'configured', status: 'False', message: 'the server is down' });
    await expect(backUp({})).rejects.toThrow('no backup can be made: the server is down');
    await backUp({ type: 'snapshot' });
    await setTarget({ type: 'other', status: 'True' });
    await expect(backUp({})).rejects.toThrow('no backup can be made: no backup target is set');
    await setTarget({ type: 'configured', status: 'True' });
    await backUp({});
  });

  it('stays what it is, and nobody makes one that was found of it', async () => {
    const { metadata } = await backUp({});
    const patch = (change: object, by = client()) =>
      by.of(HarvesterBackup).patch(metadata.name, change, { ...at, type: 'merge' });
    const found = (value: string | null) => ({ metadata: { annotations: { [FOUND_BACKUP]: value } } });
    await expect(patch({ spec: { source: vm('running') } })).rejects.toThrow('spec is immutable after creation');
    await expect(patch(found('true'))).rejects.toThrow('is for backups that Vireo finds at the target');
    await patch(found('true'), controllers());
    await patch({ metadata: { labels: { 'example.org/kept': 'yes' } } });
    const scheduled = (uid: string | null) => ({ metadata: { labels: { [SCHEDULE_LABEL]: uid } } });
    await expect(patch(scheduled('1'))).rejects.toMatchObject({
      status: { details: { causes: [{ field: `metadata.labels[${SCHEDULE_LABEL}]` }] } },
    });
    await patch(scheduled('1'), controllers());
    await expect(patch(scheduled('2'))).rejects.toThrow('is for backups that a ScheduleVMBackup makes');
    await patch({ metadata: { labels: { 'example.org/kept': 'no' } } });
    await patch(scheduled(null));
  });

  it('is not deleted while a restore uses it', async () => {
    await whole('in-use', 'web');
    const { metadata } = await restore({ virtualMachineBackupName: 'in-use', target: vm('used') });
    await expect(backups().delete('in-use', at)).rejects.toThrow(
      `default/in-use is in use: VirtualMachineRestore default/${metadata.name} needs it`,
    );
    // One that has failed needs it until it has undone what it began.
    const conditions = [{ type: 'InProgress', status: 'False', reason: 'Error' }];
    await restores().patchStatus(metadata.name, { status: { conditions } }, { ...at, type: 'merge' });
    const keep = (finalizers: string[]) =>
      restores().patch(metadata.name, { metadata: { finalizers } }, { ...at, type: 'merge' });
    await keep([RESTORE_PROTECTION]);
    await expect(backups().delete('in-use', at)).rejects.toThrow('default/in-use is in use');
    await restores().patchStatus(metadata.name, { status: { complete: true } }, { ...at, type: 'merge' });
    await backups().delete('in-use', at);
  });
});

describe('a restore', () => {
  it.each<[what: string, spec: Partial<HarvesterRestore['spec']>, why: string]>([
    ['of no backup', { virtualMachineBackupName: 'moon' }, 'VirtualMachineBackup default/moon does not exist'],
    ['as a new VM that is there', { target: vm('web') }, '"web" exists already; choose another name'],
    [
      'in place of no VM',
      { target: vm('gone'), newVM: false, virtualMachineBackupName: 'of-gone' },
      'set newVM to true',
    ],
    ['in place of another VM', { target: vm('large'), newVM: false }, '"large" is not the VM of the backup'],
    [
      'in place of a VM by the same name in another namespace',
      {
        target: vm('large'),
        newVM: false,
        virtualMachineBackupName: 'namesake',
        virtualMachineBackupNamespace: elsewhere.namespace,
      },
      '"large" is not the VM of the backup',
    ],
    [
      'in place of a VM that runs',
      { target: vm('running'), newVM: false, virtualMachineBackupName: 'of-running' },
      '"running" must be stopped before it is replaced',
    ],
    [
      'with addresses that are in use',
      { keepMacAddress: true },
      '"web", which was backed up, still has these addresses',
    ],
    [
      'of a snapshot of another namespace',
      { virtualMachineBackupName: 'local', virtualMachineBackupNamespace: 'others' },
      'can only be restored in its own namespace',
    ],
  ])('%s is refused', async (_, spec, why) => {
    await expect(restore(spec)).rejects.toMatchObject({ code: 422, message: expect.stringContaining(why) });
  });

  it('keeps addresses that nobody has any more, of a backup that is ready', async () => {
    const kept = { keepMacAddress: true, virtualMachineBackupName: 'of-gone', target: vm('gone') };
    await restore(kept);
    const { metadata } = await backUp({});
    await expect(restore({ virtualMachineBackupName: metadata.name })).rejects.toThrow(
      'is not ready to use; wait until',
    );
  });

  it('waits for the one before it, and stays what it is', async () => {
    const spec = { target: vm('twice') };
    await restore(spec, { name: 'first' });
    await expect(restore(spec)).rejects.toThrow('VirtualMachineRestore "first" of twice is in progress');
    const change = { spec: { keepMacAddress: true } };
    await expect(restores().patch('first', change, { ...at, type: 'merge' })).rejects.toThrow('spec is immutable');
    await restores().patchStatus('first', { status: { complete: true } }, { ...at, type: 'merge' });
    await restore(spec);
  });

  it('of another namespace is for those who may get the backup there', async () => {
    const jane = new Client(installation.server.inProcess(testUser('jane')));
    const spec = { virtualMachineBackupName: 'theirs', virtualMachineBackupNamespace: 'others' };
    await expect(restore({ ...spec, target: vm('taken') }, { by: jane })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining('cannot get resource "virtualmachinebackups"'),
    });
    // Who may not see it does not hear either whether it exists.
    await expect(
      restore({ ...spec, virtualMachineBackupName: 'moon', target: vm('taken') }, { by: jane }),
    ).rejects.toMatchObject({ code: 403 });
    await restore({ target: vm('own') }, { by: jane });
    await restore({ ...spec, target: vm('taken') });
  });

  it('of another namespace is for those who may copy disks there', async () => {
    const user = 'reader-of-no-disks';
    await bind(client(), user, 'admin');
    const grant = (role: string, rules: NonNullable<Role['rules']>) => grantIn(elsewhere.namespace, user, role, rules);
    const get = { verbs: ['get'] };
    await grant('objects', [
      { apiGroups: ['harvesterhci.io'], resources: ['virtualmachinebackups'], ...get },
      { apiGroups: [''], resources: ['secrets', 'configmaps'], ...get },
    ]);
    const reader = new Client(installation.server.inProcess(testUser(user)));
    const spec = { virtualMachineBackupName: 'theirs', virtualMachineBackupNamespace: 'others', target: vm('copied') };
    const cannot = `User "${user}" cannot create resource "datavolumes/source" in API group "cdi.kubevirt.io" in the namespace "others"`;
    await vi.waitFor(async () =>
      expect(await restore(spec, { by: reader }).catch((error: Error) => error)).toMatchObject({
        code: 403,
        message: expect.stringContaining(cannot),
      }),
    );
    await grant('disks', [COPY_DISKS]);
    await vi.waitFor(() => restore(spec, { by: reader }));
  });

  it.each<[what: string, volume: object, resource: string]>([
    ['Secrets', { secret: { secretName: 'keys' } }, 'secrets "keys"'],
    ['ConfigMaps', { sysprep: { configMap: { name: 'answers' } } }, 'configmaps "answers"'],
  ])('of another namespace is for those who may get the %s there that are in it', async (what, volume, resource) => {
    const user = `reader-of-no-${what.toLowerCase()}`;
    const name = `with-${what.toLowerCase()}`;
    await bind(client(), user, 'admin');
    const grant = (role: string, rules: NonNullable<Role['rules']>) => grantIn(elsewhere.namespace, user, role, rules);
    await grant('backups', [
      { apiGroups: ['harvesterhci.io'], resources: ['virtualmachinebackups'], verbs: ['get'] },
      COPY_DISKS,
    ]);
    await whole(name, 'web', elsewhere, {}, { volumes: [{ name: 'extra', ...volume }] });
    const reader = new Client(installation.server.inProcess(testUser(user)));
    const spec = { virtualMachineBackupName: name, virtualMachineBackupNamespace: 'others', target: vm(name) };
    await expect(restore(spec, { by: reader })).rejects.toMatchObject({
      code: 403,
      message: expect.stringContaining(`${resource} is forbidden: User "${user}" cannot get`),
    });
    await grant('objects', [{ apiGroups: [''], resources: [what.toLowerCase()], verbs: ['get'] }]);
    await vi.waitFor(() => restore(spec, { by: reader }));
  });

  it('of a VM whose networks are missing is let through with a warning', async () => {
    const networks = ['blue', 'others/red'].map((networkName) => ({ name: 'n', multus: { networkName } }));
    await whole('networked', 'web', elsewhere, {}, { networks });
    await client()
      .of(NetworkAttachmentDefinition)
      .create({ metadata: { name: 'blue', ...at }, spec: { config: '{}' } });
    const warnings: string[] = [];
    const transport = installation.server.inProcess();
    const warned: typeof transport = {
      ...transport,
      call: async (request) => {
        const response = await transport.call(request);
        warnings.push(...parseWarnings(response.headers.warning));
        return response;
      },
    };
    const spec = { virtualMachineBackupName: 'networked', virtualMachineBackupNamespace: 'others' };
    await restore({ ...spec, target: vm('networked') }, { by: new Client(warned) });
    expect(warnings).toEqual([
      expect.stringMatching(
        /^NetworkAttachmentDefinition others\/red does not exist; VirtualMachine networked cannot start until/,
      ),
    ]);
  });
});

describe('a schedule', () => {
  const schedule = (spec: Partial<ScheduleVmBackup['spec']>) =>
    client()
      .of(ScheduleVmBackup)
      .create({
        metadata: { generateName: 's-', ...at },
        spec: { cron: '0 3 * * *', vmbackup: { source: vm('web'), type: 'backup' }, ...spec },
      });
  it.each<[what: string, spec: Partial<ScheduleVmBackup['spec']>, field: string | undefined]>([
    ['the fewest backups', { retain: 2, maxFailure: 2 }, undefined],
    ['the most backups', { retain: 250 }, undefined],
    ['too few backups', { retain: 1 }, 'spec.retain'],
    ['too many backups', { retain: 251 }, 'spec.retain'],
    ['too few failures', { maxFailure: 1 }, 'spec.maxFailure'],
    ['no times', { cron: 'at night' }, 'spec.cron'],
    ['times that there are not', { cron: '0 25 * * *' }, 'spec.cron'],
    ['a time zone', { cron: 'CRON_TZ=Europe/Paris 0 3 * * *' }, 'spec.cron'],
    ['no VM', { vmbackup: { source: vm('moon'), type: 'backup' } }, 'spec.vmbackup.source.name'],
    ['no deadline', { vmbackup: { source: vm('web'), fsFreezeDeadline: 'soon' } }, 'spec.vmbackup.fsFreezeDeadline'],
  ])('with %s', async (_, spec, field) => {
    const made = schedule(spec);
    if (!field) return void (await made);
    await expect(made).rejects.toMatchObject({ code: 422, status: { details: { causes: [{ field }] } } });
  });

  it('may change its times, and not what it backs up', async () => {
    const { metadata } = await schedule({});
    const patch = (spec: object) =>
      client()
        .of(ScheduleVmBackup)
        .patch(metadata.name, { spec }, { ...at, type: 'merge' });
    await patch({ cron: '0 4 * * *', retain: 3 });
    await expect(patch({ vmbackup: { source: vm('large') } })).rejects.toThrow('spec.vmbackup is immutable');
    await expect(patch({ cron: 'never' })).rejects.toThrow('spec.cron is "never"');
  });
});

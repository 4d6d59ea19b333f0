import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { conditionOf, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { BACKUP_TARGET_SETTING, Setting } from '@vireo/api/kinds/harvester/setting.ts';
import { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterRestore } from '@vireo/api/kinds/harvester/virtualMachineRestore.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

const run = promisify(execFile);
// A server's exports are those of the whole host.
const why = process.env.VIREO_TEST_LAB === '1' ? undefined : 'exports directories by NFS: npm run lab';
const at = { namespace: NAMESPACE };
const web = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };

describe.skipIf(why)('a VM that is backed up to an NFS server', { meta: { whySkipped: why }, timeout: 600_000 }, () => {
  let cluster: VolumeCluster;
  let directory: string;
  const exported = (): string => join(directory, 'server');
  const diskOf = async (claim: string): Promise<string> =>
    join((await cluster.volumeOf(claim)).spec?.local?.path ?? '', 'disk.img');
  /** Everything at the target that belongs to backups. */
  const stored = async (): Promise<string[]> =>
    (await readdir(exported(), { recursive: true })).filter((path) => path.startsWith('v1'));

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'vireo-nfs-'));
    await chmod(directory, 0o755);
    await mkdir(exported());
    await run('exportfs', ['-o', 'rw,insecure,no_root_squash,fsid=8', `127.0.0.1:${exported()}`]);
    cluster = await startVolumeCluster();
  }, 600_000);
  afterAll(async () => {
    await cluster?.close();
    await run('exportfs', ['-u', `127.0.0.1:${exported()}`]).catch(() => {});
    await rm(directory, { recursive: true, force: true });
  });

  it('is restored from there with its data, by the controllers and the node; what is deleted is gone there', async () => {
    const { admin } = cluster;
    const setting = (): Promise<Persisted<Setting> | undefined> => admin.of(Setting).find(BACKUP_TARGET_SETTING);
    await until(setting);
    const value = JSON.stringify({ type: 'nfs', endpoint: `nfs://127.0.0.1:${exported()}` });
    await admin.of(Setting).patch(BACKUP_TARGET_SETTING, { value }, { type: 'merge' });
    await until(async () => conditionOf(await setting(), 'configured')?.status === 'True' || undefined);

    await cluster.claim('data');
    await writeFile(await diskOf('data'), 'what was there', { flag: 'r+' });
    const disk = await readFile(await diskOf('data'));
    const volumes = [{ name: 'data', persistentVolumeClaim: { claimName: 'data' } }];
    const domain = { devices: { disks: [{ name: 'data', disk: { bus: 'virtio' } }] }, memory: { guest: '64Mi' } };
    await admin.of(Vm).create({
      metadata: { name: 'web', ...at },
      spec: { runStrategy: 'Halted', template: { spec: { domain, volumes } } },
    });
    await admin
      .of(HarvesterBackup)
      .create({ metadata: { name: 'monday', ...at }, spec: { type: 'backup', source: web } });
    await until(async () => (await admin.of(HarvesterBackup).get('monday', at)).status?.readyToUse || undefined);
    await admin.of(Vm).delete('web', at);
    await admin.of(PersistentVolumeClaim).delete('data', at);

    const backup = { virtualMachineBackupName: 'monday', virtualMachineBackupNamespace: NAMESPACE };
    const { metadata } = await admin.of(HarvesterRestore).create({
      metadata: { name: 'again', ...at },
      spec: { target: { ...web, name: 'web-2' }, newVM: true, haltAfterRestore: true, ...backup },
    });
    await until(async () => (await admin.of(HarvesterRestore).get('again', at)).status?.complete || undefined);
    expect((await readFile(await diskOf(`restore-${metadata.uid}-data`))).equals(disk)).toBe(true);

    await admin.of(HarvesterBackup).delete('monday', at);
    await until(async () => ((await admin.of(HarvesterBackup).find('monday', at)) ? undefined : true));
    expect(await stored()).toEqual([]);
  });
});

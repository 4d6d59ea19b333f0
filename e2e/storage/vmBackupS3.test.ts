import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { S3Client } from '@vireo/backup/s3/client.ts';
import { SWIFT_REGION, SWIFT_USER, type Swift, startSwift, whyNoSwift } from '@vireo/backup/testing/swift.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { vm } from '../vms/manifests.ts';
import { countingDisk } from './countingGuest.ts';

const BACKUPS = 'virtualmachinebackups.harvesterhci.io';
const RESTORES = 'virtualmachinerestores.harvesterhci.io';
const WEB = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };

describe.skipIf(whyNoSwift)('a VM that is backed up to S3 and deleted', { meta: { whySkipped: whyNoSwift } }, () => {
  const vms = useVms();
  const { kubectl, home, create } = vms;
  let swift: Swift;
  let bucket: S3Client;
  const send = (method: 'PUT' | 'GET', path: string) => bucket.send({ method, url: new URL(path, swift.https) });
  const listed = async (): Promise<string> => (await send('GET', '/backups/?list-type=2')).body.toString();
  const untilCounted = (count: number): Promise<unknown> =>
    kubectl.until('logs -l vm.kubevirt.io/name=web --tail=-1', new RegExp(`counted boots: ${count}`));
  const harvester = (kind: string, name: string, spec: object): string =>
    JSON.stringify({ apiVersion: 'harvesterhci.io/v1beta1', kind, metadata: { name }, spec });

  beforeAll(async () => {
    swift = await startSwift();
    bucket = new S3Client({ identity: { ...SWIFT_USER, region: SWIFT_REGION }, cert: swift.cert });
    expect((await send('PUT', '/backups/')).status).toBe(200);
    await writeFile(join(home(), 'counting.raw'), countingDisk());
    await vms.vireo(`image-upload pvc counter --size=16Mi --image-path=${join(home(), 'counting.raw')}`);
    await create(vm('web', { root: { persistentVolumeClaim: { claimName: 'counter' } } }));
    await untilCounted(1);
  }, 240_000);
  afterAll(async () => {
    bucket?.close();
    await swift?.[Symbol.asyncDispose]();
  });

  it('is restored from there with its data, and its backup can be deleted', async () => {
    const place = { type: 's3', endpoint: swift.https, bucketName: 'backups', bucketRegion: SWIFT_REGION };
    const value = JSON.stringify({ ...place, ...SWIFT_USER, cert: swift.cert });
    await kubectl.until('get setting backup-target -o name', /backup-target/);
    await kubectl.do(`patch setting backup-target --type=merge -p '${JSON.stringify({ value })}'`);
    await kubectl.do('wait setting/backup-target --for=condition=configured --timeout=2m');
    expect(await kubectl('get setting backup-target -o yaml')).not.toContain(SWIFT_USER.secretAccessKey);

    await create(harvester('VirtualMachineBackup', 'monday', { type: 'backup', source: WEB }));
    await kubectl.until(`get ${BACKUPS} monday -o jsonpath={.status.readyToUse}:{.status.error}`, 'true:');
    expect(await listed()).toMatch(/<Key>v1\/default\/monday-[^<]*\/backup\.json<\/Key>/);
    await kubectl.do('delete vm web --wait --timeout=90s');
    await kubectl.do('delete pvc counter --wait --timeout=90s');

    const backup = { virtualMachineBackupName: 'monday', virtualMachineBackupNamespace: 'default' };
    await create(harvester('VirtualMachineRestore', 'again', { target: WEB, newVM: true, ...backup }));
    await kubectl.until(`get ${RESTORES} again -o jsonpath={.status.complete}`, 'true');
    await untilCounted(2);

    await kubectl.do(`delete ${BACKUPS} monday --wait --timeout=90s`);
    expect(await listed()).not.toContain('monday');
  }, 300_000);
});

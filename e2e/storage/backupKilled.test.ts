import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { StoredVolume } from '@vireo/api/kinds/harvester/backupWork.ts';
import { type BackupStore, openStore, openVolume, readBackup, volumePrefix } from '@vireo/backup';
import { type StallingS3, startStallingS3, storedIn } from '@vireo/backup/testing/stallingS3.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { guestsOf } from '../vms/leftovers.ts';
import { vm } from '../vms/manifests.ts';
import { countingDisk } from './countingGuest.ts';

const vms = useVms();
const { kubectl, home, server, startAgain, create, uidOf } = vms;
const BACKUPS = 'virtualmachinebackups.harvesterhci.io';

let s3: StallingS3;
let store: BackupStore;
let isSlow = true;

beforeAll(async () => {
  s3 = await startStallingS3({ isSlow: () => isSlow });
  const place = { type: 's3', endpoint: s3.endpoint, bucketName: 'backups', bucketRegion: 'r' } as const;
  const keys = { accessKeyId: 'me', secretAccessKey: 'secret' };
  store = await openStore({ ...place, virtualHostedStyle: false }, keys, { runtimeDirectory: '/nowhere' });
  await writeFile(join(home(), 'counting.raw'), countingDisk());
  await vms.vireo(`image-upload pvc counter --size=16Mi --image-path=${join(home(), 'counting.raw')}`);
  await create(vm('web', { root: { persistentVolumeClaim: { claimName: 'counter' } } }));
  await kubectl.until('get setting backup-target -o name', /backup-target/);
  await kubectl.do(
    `patch setting backup-target --type=merge -p '${JSON.stringify({ value: JSON.stringify({ ...place, ...keys }) })}'`,
  );
  await kubectl.do('wait setting/backup-target --for=condition=configured --timeout=1m');
  await kubectl.until('logs -l vm.kubevirt.io/name=web --tail=-1', /counted boots: 1/);
}, 120_000);
afterAll(async () => {
  await store?.close();
  await s3?.[Symbol.asyncDispose]();
});

const backUp = (name: string): Promise<void> =>
  create(
    JSON.stringify({
      apiVersion: 'harvesterhci.io/v1beta1',
      kind: 'VirtualMachineBackup',
      metadata: { name },
      spec: { type: 'backup', source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
    }),
  );
/** Resolves when the chunks of both are on their way. */
const areUploading = () => expect.poll(() => s3.stalled.length, { timeout: 30_000 }).toBe(2);

/** The disk of the VM as a backup has it. */
async function diskIn(prefix: string): Promise<Buffer> {
  const { volumes } = (await readBackup(store, prefix)) as unknown as { volumes: Record<string, StoredVolume> };
  const { sizeBytes, data } = await openVolume(store, volumePrefix(prefix, 'root'), volumes.root?.sha256 ?? '');
  const disk = Buffer.alloc(sizeBytes);
  for await (const piece of data()) piece.data.copy(disk, piece.offset);
  return disk;
}

it('backups go on after Vireo was killed while it uploaded, or leave nothing; the guest does not notice', async () => {
  const guest = { uid: await uidOf('web'), processes: await guestsOf(home()) };
  expect(guest.processes).toHaveLength(1);
  await backUp('monday');
  await backUp('tuesday');
  await areUploading();
  await server().kill();
  // These arrive when nobody waits for them any more.
  s3.letGo();
  await startAgain();
  await areUploading();
  await kubectl.do(`delete ${BACKUPS} tuesday --wait=false`);
  isSlow = false;
  s3.letGo();
  await kubectl.do(`wait ${BACKUPS} tuesday --for=delete --timeout=1m`);
  await kubectl.until(`get ${BACKUPS} monday -o jsonpath={.status.readyToUse}:{.status.error}`, 'true:');

  const [prefix = '', ...others] = new Set(storedIn(s3).map((key) => /^v1\/[^/]+\/[^/]+\//.exec(key)?.[0] ?? key));
  expect(prefix).toMatch(/^v1\/default\/monday-/);
  expect(others).toEqual([]);
  const { stdout: volume } = await kubectl.run('get pvc counter -o jsonpath={.spec.volumeName}');
  expect((await diskIn(prefix)).equals(await readFile(join(home(), 'volumes', volume, 'disk.img')))).toBe(true);
  expect({ uid: await uidOf('web'), processes: await guestsOf(home()) }).toEqual(guest);
  expect(await kubectl('logs -l vm.kubevirt.io/name=web --tail=-1')).not.toMatch(/counted boots: 2/);
}, 120_000);

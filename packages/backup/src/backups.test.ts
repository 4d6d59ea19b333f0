import { mkdir, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  backupPrefix,
  beginBackup,
  commitBackup,
  type FoundBackup,
  listBackups,
  namespaceOf,
  readBackup,
  removeBackup,
  sweepUnfinished,
  volumePrefix,
} from './backups.ts';
import { type BackupStore, ID_KEY } from './store.ts';
import { directoryTarget, storeLike } from './testing/directoryTarget.ts';

const nightly = backupPrefix({ namespace: 'shop', name: 'nightly', uid: 'u-1' });
const weekly = backupPrefix({ namespace: 'shop', name: 'weekly', uid: 'u-2' });
const home = 'home-1';
const isInUse = (): boolean => false;

async function found(store: BackupStore): Promise<FoundBackup[]> {
  const backups: FoundBackup[] = [];
  for await (const backup of listBackups(store)) backups.push(backup);
  return backups;
}

async function unfinished(store: BackupStore, prefix: string, from = home): Promise<void> {
  await beginBackup(store, prefix, { home: from });
  await store.put(`${volumePrefix(prefix, 'disk')}chunks/0/0`, Buffer.from('data'));
}

it('is a backup from when its document is there', async () => {
  await using target = await directoryTarget();
  const { store } = target;
  await unfinished(store, nightly);
  await unfinished(store, weekly);
  expect(await found(store)).toEqual([]);
  expect(await readBackup(store, nightly)).toBeUndefined();
  await commitBackup(store, nightly, { name: 'nightly' });
  expect(await found(store)).toEqual([{ prefix: nightly, document: { name: 'nightly' } }]);
  expect(namespaceOf(nightly)).toBe('shop');
});

it('a removed backup leaves nothing behind, and is none any more when its removal is interrupted', async () => {
  await using target = await directoryTarget();
  const { store, root } = target;
  await unfinished(store, nightly);
  await commitBackup(store, nightly, { name: 'nightly' });
  const dying = storeLike(store, { deleteAll: () => Promise.reject(new Error('killed')) });
  await expect(removeBackup(dying, nightly)).rejects.toThrow('killed');
  expect(await found(store)).toEqual([]);
  expect(await sweepUnfinished(store, { home, isInUse })).toEqual([nightly]);
  expect(await readdir(root)).toEqual([ID_KEY]);
});

it('sweeps what this home has not finished, and nothing else', async () => {
  await using target = await directoryTarget();
  const { store } = target;
  await unfinished(store, nightly);
  await unfinished(store, weekly);
  const others = backupPrefix({ namespace: 'lab', name: 'nightly', uid: 'u-3' });
  await unfinished(store, others, 'home-2');
  const done = backupPrefix({ namespace: 'lab', name: 'done', uid: 'u-4' });
  await unfinished(store, done);
  await commitBackup(store, done, {});
  expect(await sweepUnfinished(store, { home, isInUse: (prefix) => prefix === weekly })).toEqual([nightly]);
  expect(await store.names('v1/shop/')).toEqual(['weekly-u-2/']);
  expect(await store.names('v1/lab/')).toEqual(['done-u-4/', 'nightly-u-3/']);
});

it('says which backup is damaged, and lists the others', async () => {
  await using target = await directoryTarget();
  const { store, root } = target;
  for (const prefix of [nightly, weekly]) await commitBackup(store, prefix, { name: prefix });
  const path = join(root, nightly, 'backup.json');
  await writeFile(path, (await readFile(path, 'utf8')).replace('nightly', 'mightly'));
  const backups = await found(store);
  expect(backups).toMatchObject([{ prefix: nightly, error: { name: 'Damaged' } }, { prefix: weekly }]);
  await expect(readBackup(store, nightly)).rejects.toThrow(`${nightly}backup.json in ${store.description} is damaged`);
});

it('refuses a backup of a newer version', async () => {
  await using target = await directoryTarget();
  await target.store.put(`${nightly}backup.json`, Buffer.from('{"version":2,"document":"{}"}'));
  await expect(readBackup(target.store, nightly)).rejects.toThrow('has version 2, which a newer Vireo has written');
});

it('what is no file stops neither the listing of the others nor the removal of what was not finished', async () => {
  await using target = await directoryTarget();
  const { store, root } = target;
  await commitBackup(store, nightly, {});
  await commitBackup(store, weekly, {});
  await rm(join(root, nightly, 'backup.json'));
  await mkdir(join(root, nightly, 'backup.json'));
  expect(await found(store)).toMatchObject([{ prefix: nightly, error: { name: 'Damaged' } }, { prefix: weekly }]);
  const linked = backupPrefix({ namespace: 'lab', name: 'linked', uid: 'u-5' });
  await unfinished(store, linked);
  await rm(join(root, linked, 'begun.json'));
  await symlink('/etc/passwd', join(root, linked, 'begun.json'));
  const mine = backupPrefix({ namespace: 'later', name: 'mine', uid: 'u-6' });
  await unfinished(store, mine);
  expect(await sweepUnfinished(store, { home, isInUse })).toEqual([mine]);
});

it('a backup that is too large to be read is not written', async () => {
  await using target = await directoryTarget();
  const { store } = target;
  await expect(commitBackup(store, nightly, { data: 'x'.repeat(1 << 24) })).rejects.toThrow(
    'have the VM name fewer or smaller Secrets and ConfigMaps',
  );
  await commitBackup(store, nightly, { data: 'x'.repeat(1 << 23) });
  expect(await found(store)).toMatchObject([{ prefix: nightly, document: {} }]);
  await store.put(`${weekly}backup.json`, Buffer.alloc((1 << 24) + 1));
  expect(await found(store)).toMatchObject([{ prefix: nightly }, { prefix: weekly, error: { name: 'Damaged' } }]);
});

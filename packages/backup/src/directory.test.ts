import { mkdir, readdir, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, test } from 'vitest';
import { DirectoryStore } from './directory.ts';
import { openStore } from './open.ts';
import { ID_KEY } from './store.ts';
import { directoryTarget } from './testing/directoryTarget.ts';

const bytes = (text: string): Buffer => Buffer.from(text);
const everything = async (store: { list(prefix: string): AsyncIterable<string> }, prefix = ''): Promise<string[]> => {
  const keys: string[] = [];
  for await (const key of store.list(prefix)) keys.push(key);
  return keys;
};

it('keeps objects by their keys, and lists what follows a prefix', async () => {
  await using target = await directoryTarget();
  const { store } = target;
  await store.put('v1/shop/a/backup.json', bytes('1'));
  await store.put('v1/shop/a/volumes/disk/chunks/0/0', bytes('2'));
  await store.put('v1/shop/a/backup.json', bytes('3'));
  expect((await store.get('v1/shop/a/backup.json'))?.toString()).toBe('3');
  expect(await store.get('v1/shop/a/nothing')).toBeUndefined();
  expect(await store.names('v1/shop/a/')).toEqual(['backup.json', 'volumes/']);
  expect(await store.names('v2/')).toEqual([]);
  expect(await everything(store, 'v1/')).toEqual(['v1/shop/a/backup.json', 'v1/shop/a/volumes/disk/chunks/0/0']);
});

it('deletes objects, everything with a prefix, and the directories that are empty then', async () => {
  await using target = await directoryTarget();
  const { store, root } = target;
  await store.put('v1/shop/a/x', bytes('1'));
  await store.put('v1/shop/b/x', bytes('1'));
  await store.delete('v1/shop/a/x');
  await store.delete('v1/shop/a/x');
  await store.deleteAll('v1/shop/a/');
  expect(await everything(store, 'v1/')).toEqual(['v1/shop/b/x']);
  await store.deleteAll('v1/shop/b/');
  expect(await readdir(root)).toEqual([ID_KEY]);
  await expect(store.deleteAll('')).rejects.toThrow('is never deleted');
});

test.each(['../x', '/etc/passwd', 'a//b', 'a/../../b', '.hidden', 'a/.', 'a\0b', ''])('%j is no key', async (key) => {
  await using target = await directoryTarget();
  await expect(target.store.put(key, bytes('x'))).rejects.toThrow('is no key');
  await expect(target.store.get(key)).rejects.toThrow('is no key');
  await expect(target.store.delete(key)).rejects.toThrow('is no key');
});

it('follows no link out of the directory', async () => {
  await using target = await directoryTarget();
  await using outside = await directoryTarget();
  await writeFile(join(outside.root, 'secret'), 'x');
  await symlink(outside.root, join(target.root, 'v1'));
  await expect(target.store.put('v1/secret', bytes('y'))).rejects.toThrow('remove the file or link');
  await expect(target.store.get('v1/secret')).rejects.toThrow('remove the file or link');
  await expect(target.store.deleteAll('v1/')).resolves.toBeUndefined();
  expect(await readFile(join(outside.root, 'secret'), 'utf8')).toBe('x');
});

it('writes nothing into a directory that is not mounted, and says so', async () => {
  await using target = await directoryTarget();
  const { store, root } = target;
  await rename(root, `${root}.away`);
  await mkdir(root);
  try {
    await expect(store.put('v1/a', bytes('1'))).rejects.toThrow(
      `${root} is not the backup target: ${ID_KEY} is missing`,
    );
    await expect(store.check()).rejects.toThrow('is it mounted?');
    await expect(store.get('v1/a')).rejects.toThrow('is it mounted?');
    await expect(store.names('v1/')).rejects.toThrow('is it mounted?');
    expect(await readdir(root)).toEqual([]);
  } finally {
    await rm(`${root}.away`, { recursive: true });
  }
});

it('writes nothing into another target, nor into one that nobody has accepted', async () => {
  await using one = await directoryTarget();
  await using other = await directoryTarget();
  const wrong = new DirectoryStore(one.root, { description: 'one', id: other.id });
  await expect(wrong.put('v1/a', bytes('1'))).rejects.toThrow(`is ${one.id}, not ${other.id}`);
  const unknown = new DirectoryStore(one.root, { description: 'one', id: undefined });
  await expect(unknown.put('v1/a', bytes('1'))).rejects.toThrow('was not accepted');
  expect(await unknown.accept()).toBe(one.id);
});

it('says what is in the way', async () => {
  await using target = await directoryTarget();
  await expect(target.store.check()).resolves.toBeUndefined();
  expect(await readdir(target.root)).toEqual([ID_KEY]);
  const endpoint = `file://${target.root}/nothing`;
  const missing = await openStore({ type: 'directory', endpoint }, {}, { runtimeDirectory: target.root });
  await expect(missing.check()).rejects.toThrow('/nothing does not exist: mount it there');
  await expect(missing.accept()).rejects.toThrow('does not exist');
});

it('what a crash has left of an object is no object', async () => {
  await using target = await directoryTarget();
  await target.store.put('v1/a/x', bytes('1'));
  await writeFile(join(target.root, 'v1/a/.writing-0123'), 'half');
  expect(await everything(target.store, 'v1/')).toEqual(['v1/a/x']);
  await target.store.deleteAll('v1/a/');
  expect(await everything(target.store, 'v1/')).toEqual([]);
});

it('others cannot read what is kept', async () => {
  await using target = await directoryTarget();
  await target.store.put('v1/a/x', bytes('1'));
  expect((await stat(join(target.root, 'v1'))).mode & 0o077).toBe(0);
  expect((await stat(join(target.root, 'v1/a/x'))).mode & 0o077).toBe(0);
});

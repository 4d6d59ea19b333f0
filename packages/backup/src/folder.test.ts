import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { Folder } from './folder.ts';

const run = promisify(execFile);
let directory: string;
/** What is not the target's, and must stay as it is. */
let outside: string;
let root: string;
let folder: Folder;

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-folder-'));
  outside = join(directory, 'outside');
  root = join(directory, 'root');
  await mkdir(join(outside, 'below'), { recursive: true });
  await mkdir(root);
  await writeFile(join(outside, 'file'), 'of others');
  await writeFile(join(outside, 'below/file'), 'of others');
  folder = (await Folder.open(root)) as Folder;
});
afterEach(async () => {
  await folder[Symbol.asyncDispose]();
  await rm(directory, { recursive: true, force: true });
});

const everythingOutside = async (): Promise<string[]> => (await readdir(outside, { recursive: true })).sort();

describe('a directory that is replaced by a link while it is open', () => {
  it('is still the one in which everything is done', async () => {
    await using v1 = await folder.enterMade('v1');
    await v1.writeNew('file', Buffer.from('ours'));
    await rename(join(root, 'v1'), join(root, 'v1.away'));
    await symlink(outside, join(root, 'v1'));
    expect((await v1.read('file', 100))?.toString()).toBe('ours');
    expect((await v1.entries()).map(({ name }) => name)).toEqual(['file']);
    await v1.writeNew('.new', Buffer.from('ours'));
    await v1.rename('.new', 'file');
    await v1.removeFile('file');
    await v1.removeAll('below');
    await using below = await v1.enterMade('made');
    await below.writeNew('x', Buffer.from('ours'));
    expect(await everythingOutside()).toEqual(['below', 'below/file', 'file']);
    expect(await readdir(join(root, 'v1.away'), { recursive: true })).toEqual(['made', 'made/x']);
  });

  it('is not entered again', async () => {
    await symlink(outside, join(root, 'v1'));
    await expect(folder.enter('v1')).rejects.toThrow(`${root}/v1 is not a directory: remove the file or link`);
    await expect(folder.enterMade('v1')).rejects.toThrow('is not a directory');
  });
});

it('removes links, and nothing that they lead to', async () => {
  await using v1 = await folder.enterMade('v1');
  await using deeper = await v1.enterMade('deeper');
  await deeper.writeNew('file', Buffer.from('ours'));
  await symlink(outside, join(root, 'v1/link'));
  await symlink(join(outside, 'file'), join(root, 'v1/deeper/link'));
  await folder.removeAll('v1');
  expect(await readdir(root)).toEqual([]);
  expect(await everythingOutside()).toEqual(['below', 'below/file', 'file']);
});

it('gives up on directories in directories without end', async () => {
  await mkdir(join(root, Array(40).fill('d').join('/')), { recursive: true });
  await expect(folder.removeAll('d')).rejects.toThrow('too many directories in each other');
});

test.each([
  ['a link to a file', (path: string) => symlink(join(outside, 'file'), path), 'is not a file'],
  ['a directory', (path: string) => mkdir(path), 'is not a file'],
  ['a pipe, which nobody writes to', (path: string) => run('mkfifo', [path]), 'is not a file'],
  ['a file that is too large', (path: string) => writeFile(path, '0123456789+'), 'it has more than 10 bytes'],
])('%s is damaged', async (_, make, why) => {
  await make(join(root, 'x'));
  const error = await folder.read('x', 10).catch((thrown: Error) => thrown);
  expect(error).toMatchObject({ name: 'Damaged', message: expect.stringContaining(why) });
  expect(await readFile(join(outside, 'file'), 'utf8')).toBe('of others');
});

it('reads files up to the size that is allowed, and knows which are missing', async () => {
  await folder.writeNew('x', Buffer.from('0123456789'));
  expect((await folder.read('x', 10))?.toString()).toBe('0123456789');
  expect(await folder.read('y', 10)).toBeUndefined();
  expect(await folder.enter('z')).toBeUndefined();
  expect(await Folder.open(join(root, 'z'))).toBeUndefined();
});

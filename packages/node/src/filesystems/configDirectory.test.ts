import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { writeConfigDirectory } from './configDirectory.ts';

let directory = '';
beforeEach(async () => {
  directory = join(await mkdtemp(join(tmpdir(), 'vireo-config-')), 'volume');
});
afterEach(() => rm(join(directory, '..'), { recursive: true }));

const rights = { mode: 0o400 };
const text = (path: string): Promise<string> => readFile(join(directory, path), 'utf8');

it('files of an object are links into one directory, as in pods', async () => {
  expect(await writeConfigDirectory(directory, { key: 'one', 'deep/er/path': Buffer.from('two') }, rights)).toBe(true);
  expect(await Promise.all(['key', 'deep/er/path'].map(text))).toEqual(['one', 'two']);
  expect(await readlink(join(directory, 'key'))).toBe('..data/key');
  expect(await readlink(join(directory, 'deep'))).toBe('..data/deep');
  expect((await stat(join(directory, 'key'))).mode & 0o777).toBe(0o400);
  expect((await stat(join(directory, 'deep/er'))).mode & 0o777).toBe(0o755);
});

it('a change replaces all of them at once, and nothing of the old ones stays', async () => {
  await writeConfigDirectory(directory, { key: 'one', gone: 'soon' }, rights);
  const before = await readlink(join(directory, '..data'));
  expect(await writeConfigDirectory(directory, { gone: 'soon', key: 'one' }, rights)).toBe(false);
  expect(await readlink(join(directory, '..data'))).toBe(before);
  expect(await writeConfigDirectory(directory, { key: 'other', more: '' }, rights)).toBe(true);
  expect(await Promise.all(['key', 'more'].map(text))).toEqual(['other', '']);
  const after = await readlink(join(directory, '..data'));
  expect((await readdir(directory)).sort()).toEqual([after, '..data', 'key', 'more'].sort());
});

it('an object without content is an empty directory', async () => {
  await writeConfigDirectory(directory, { key: 'one' }, rights);
  expect(await writeConfigDirectory(directory, {}, rights)).toBe(true);
  expect((await readdir(directory)).filter((name) => !name.startsWith('..'))).toEqual([]);
});

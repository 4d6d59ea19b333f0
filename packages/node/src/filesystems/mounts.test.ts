import { mkdir, mkdtemp, realpath, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { nodeLayout } from '../libvirtd/layout.ts';
import { openDirectory } from './mounts.ts';

let base = '';
beforeAll(async () => {
  base = await realpath(await mkdtemp(join(tmpdir(), 'vireo-mounts-')));
  await mkdir(join(base, 'home/machines'), { recursive: true });
  await mkdir(join(base, 'shared'));
  await symlink('shared', join(base, 'link'));
  await symlink('home', join(base, 'homeLink'));
  await writeFile(join(base, 'file'), '');
});
afterAll(() => rm(base, { recursive: true }));

describe('a directory to share', () => {
  const at = async (path: string): Promise<string> => {
    const node = { layout: nodeLayout(join(base, 'home'), false), host: { name: 'here' } };
    const { directory, handle } = await openDirectory(path, node);
    await handle.close();
    return directory;
  };

  it('is where links lead', async () => {
    expect(await at(join(base, 'link'))).toBe(join(base, 'shared'));
  });

  it.each(['missing', 'file'])('is there, and a directory: %s', async (name) => {
    await expect(at(join(base, name))).rejects.toThrow(/is not a directory of node here$/);
  });

  it.each(['home', 'home/machines', 'homeLink/machines', '.'])('has nothing of Vireo in it: %s', async (name) => {
    await expect(at(join(base, name))).rejects.toThrow(`Vireo keeps its own files in ${join(base, 'home')}`);
  });

  it.each(['/proc', '/proc/self', '/sys', '/dev'])("is not the kernel's: %s", async (path) => {
    await expect(at(path)).rejects.toThrow(/is the kernel's$/);
  });

  it('is not everything', async () => {
    await expect(at('/')).rejects.toThrow(/cannot be shared/);
  });
});

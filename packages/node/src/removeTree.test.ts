import { mkdir, mkdtemp, readFile, rename, rm, stat, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { removeTree } from './removeTree.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vireo-tree-'));
});
afterEach(() => rm(root, { recursive: true, force: true }));

it('removes directories that are nested deeper than a path can be long, and follows no link', async () => {
  const kept = join(root, 'kept');
  await mkdir(kept);
  await writeFile(join(kept, 'file'), 'kept');
  // From the inside out: no path is ever too long for us.
  let tree = join(root, 'tree-0');
  const name = 'n'.repeat(200);
  const levels = join(...Array.from({ length: 10 }, () => name));
  await mkdir(tree);
  await symlink(kept, join(tree, 'link'));
  for (let round = 1; round <= 3; round += 1) {
    const outer = join(root, `tree-${round}`);
    await mkdir(join(outer, levels), { recursive: true });
    await rename(tree, join(outer, levels, 'inner'));
    tree = outer;
  }
  await symlink(kept, join(tree, 'link'));
  await removeTree(tree);
  await expect(stat(tree)).rejects.toThrow('ENOENT');
  expect(await readFile(join(kept, 'file'), 'utf8')).toBe('kept');
  await removeTree(tree);
});

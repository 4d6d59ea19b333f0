import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { CapabilityCache } from './capabilityCache.ts';
import { nodeLayout } from './layout.ts';

let directory: string;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-capabilities-'));
});
afterEach(() => rm(directory, { recursive: true, force: true }));

const home = (name: string) => {
  const layout = nodeLayout(join(directory, name), true);
  const own = join(layout.libvirt, 'cache/qemu/capabilities');
  return { own, cache: new CapabilityCache(layout, join(directory, 'shared')) };
};

it("a new home begins with another's answers, and keeps its own from then on", async () => {
  const first = home('first');
  await first.cache.restore();
  expect(await readdir(first.own)).toEqual([]);
  await writeFile(join(first.own, 'answer.xml'), 'one');
  await writeFile(join(first.own, 'half.xml.new'), 'not an answer');
  await first.cache.store();

  const second = home('second');
  await second.cache.restore();
  expect(await readdir(second.own)).toEqual(['answer.xml']);
  await writeFile(join(second.own, 'answer.xml'), 'newer');
  await second.cache.restore();
  expect(await readFile(join(second.own, 'answer.xml'), 'utf8')).toBe('newer');
});

it('answers go to whoever comes first, also where nothing was ever kept', async () => {
  const { own, cache } = home('only');
  await mkdir(own, { recursive: true });
  await cache.store();
  expect(await readdir(join(directory, 'shared'))).toEqual([]);
});

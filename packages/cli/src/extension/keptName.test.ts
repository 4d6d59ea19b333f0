import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { keptName } from './keptName.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-kept-'));
});
afterEach(() => rm(home, { recursive: true }));

it('an instance on a port keeps its name', async () => {
  const { name, directory } = await keptName(home, 8443);
  expect(await keptName(home, 8443)).toMatchObject({ name, directory });
  expect((await keptName(home, 8444)).name).not.toBe(name);
  expect(await keptName(home, 8443, 'own')).toMatchObject({ name: 'own', directory: join(home, 'extension', 'own') });
});

it('an instance on any port removes its directory, and those of instances that were killed', async () => {
  const { pid: dead } = spawnSync('true');
  for (const name of [`process-${dead}`, `process-${process.ppid}`, 'up'])
    await mkdir(join(home, 'extension', name), { recursive: true });
  const { directory, forget } = await keptName(home, 0);
  await mkdir(directory);
  await forget();
  expect((await readdir(join(home, 'extension'))).toSorted()).toEqual([`process-${process.ppid}`, 'up']);
});

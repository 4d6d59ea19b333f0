import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAllowedCpus } from '../host/cpuTopology.ts';
import { CpuManager, type CpuManagerOptions } from './cpuManager.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp('/tmp/vireo-cpus-');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

const topology = { cells: [{ id: 0, cores: [[0], [1], [2], [3]] }] };
const options = (name: string, changes: Partial<CpuManagerOptions> = {}): CpuManagerOptions => ({
  topology,
  allowed: [0, 1, 2, 3],
  file: join(directory, name),
  node: 'node-1',
  guests: async () => [],
  log: memoryLog(),
  ...changes,
});
const everybody = () => true;

it('hands every CPU out once, the first one never, and takes them back', async () => {
  const manager = await CpuManager.open(options('once'), everybody);
  const [a, b] = await Promise.all([manager.claim('a', 'x/a', 2), manager.claim('b', 'x/b', 1)]);
  expect([...a, ...b].sort()).toEqual([1, 2, 3]);
  expect(await manager.claim('a', 'x/a', 2)).toEqual(a);
  await expect(manager.claim('c', 'x/c', 1)).rejects.toThrow(
    'not enough CPUs for dedicatedCpuPlacement on node node-1: 1 requested, 0 free of 3 that can be dedicated',
  );
  await manager.release('a');
  await manager.release('a');
  expect(await manager.claim('c', 'x/c', 2)).toEqual(a);
});

it('a next one knows what was handed out, and forgets VMIs that are gone', async () => {
  const first = await CpuManager.open(options('next'), everybody);
  const [kept] = [await first.claim('kept', 'x/kept', 1), await first.claim('gone', 'x/gone', 2)];
  const next = await CpuManager.open(options('next'), (uid) => uid === 'kept');
  expect(await next.claim('kept', 'x/kept', 1)).toEqual(kept);
  expect(await next.claim('new', 'x/new', 2)).toHaveLength(2);
});

it('a host with one core has none to dedicate', async () => {
  const one = { topology: { cells: [{ id: 0, cores: [[0, 1]] }] }, allowed: [0, 1] };
  expect((await CpuManager.open(options('single', one), everybody)).isUsable).toBe(false);
  expect((await CpuManager.open(options('several'), everybody)).isUsable).toBe(true);
});

it('a guest that shares CPUs is kept off dedicated ones, and let back', async ({ skip }) => {
  const allowed = await readAllowedCpus();
  if (allowed.length < 2) return skip('this host has one CPU');
  const here = { cells: [{ id: 0, cores: allowed.map((cpu) => [cpu]) }] };
  const guest = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    await once(guest, 'spawn');
    const mask = () => readAllowedCpus(`/proc/${guest.pid}/status`);
    const guests = async () => [{ pid: guest.pid!, key: 'x/shared' }];
    const manager = await CpuManager.open(options('shared', { topology: here, allowed, guests }), everybody);
    const cpus = await manager.claim('a', 'x/a', 1);
    expect(await mask()).toEqual(allowed.filter((cpu) => !cpus.includes(cpu)));
    await manager.release('a');
    expect(await mask()).toEqual(allowed);
    expect(JSON.parse(await readFile(join(directory, 'shared'), 'utf8'))).toEqual({});
  } finally {
    guest.kill('SIGKILL');
  }
});

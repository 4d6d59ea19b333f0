import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { readAllowedCpus } from '../host/cpuTopology.ts';
import { CpuManager, type CpuManagerOptions } from './cpuManager.ts';

const run = promisify(execFile);

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

it('with the policy none, hands out nothing more, and VMIs keep what they have', async () => {
  const manager = await CpuManager.open(options('none'), everybody);
  const kept = await manager.claim('a', 'x/a', 1);
  manager.policy = 'none';
  expect(await manager.claim('a', 'x/a', 1)).toEqual(kept);
  await expect(manager.claim('b', 'x/b', 1)).rejects.toThrow(
    'dedicatedCpuPlacement needs the CPU manager of node node-1, which is disabled',
  );
  manager.policy = 'static';
  expect(await manager.claim('b', 'x/b', 1)).toHaveLength(1);
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
  expect((await CpuManager.open(options('single', one), everybody)).dedicableCount).toBe(0);
  expect((await CpuManager.open(options('several'), everybody)).dedicableCount).toBe(3);
});

it('a guest that shares CPUs is kept off dedicated ones, and let back', async ({ skip }) => {
  const allowed = await readAllowedCpus();
  if (allowed.length < 2) return skip('this host has one CPU');
  const here = { cells: [{ id: 0, cores: allowed.map((cpu) => [cpu]) }] };
  const guest = spawn('sleep', ['600'], { stdio: 'ignore' });
  try {
    await once(guest, 'spawn');
    const mask = () => readAllowedCpus(`/proc/${guest.pid}/status`);
    let looks = 0;
    const guests = async () => {
      looks++;
      return [{ pid: guest.pid!, key: 'x/shared' }];
    };
    const manager = await CpuManager.open(options('shared', { topology: here, allowed, guests }), everybody);
    const cpus = await manager.claim('a', 'x/a', 1);
    expect(await mask()).toEqual(allowed.filter((cpu) => !cpus.includes(cpu)));
    await run('taskset', ['--cpu-list', '--pid', allowed.join(','), String(guest.pid)]);
    await manager.confineShared({ pid: guest.pid!, key: 'x/shared' });
    expect(await mask()).toEqual(allowed.filter((cpu) => !cpus.includes(cpu)));
    // One that starts is no reason to look at all others.
    expect(looks).toBe(1);
    await manager.release('a');
    expect(await mask()).toEqual(allowed);
    expect(JSON.parse(await readFile(join(directory, 'shared'), 'utf8'))).toEqual({});
  } finally {
    guest.kill('SIGKILL');
  }
});

it('a damaged file is named in the log, and what guests have is told by the kernel', async ({ skip }) => {
  const allowed = await readAllowedCpus();
  const [first = 0, own] = allowed;
  if (own === undefined) return skip('this host has one CPU');
  const here = { cells: [{ id: 0, cores: allowed.map((cpu) => [cpu]) }] };
  const [a, b] = [String(own), `${first},${own}`].map((cpus, index) =>
    spawn('taskset', ['--cpu-list', cpus, 'sh', '-c', 'echo; read x', 'sh', '-uuid', `u${index}`]),
  ) as [ReturnType<typeof spawn>, ReturnType<typeof spawn>];
  try {
    await Promise.all([a, b].map(({ stdout }) => once(stdout!, 'data')));
    const guests = async () => [a, b].map(({ pid }, index) => ({ pid: pid!, key: `x/${index}` }));
    const log = memoryLog();
    const changed = options('damaged', { topology: here, allowed, guests, log });
    await writeFile(changed.file, '{"u0": {"key"');
    const manager = await CpuManager.open(changed, everybody);
    expect(log.entries).toMatchObject([{ level: 'warn', fields: { file: changed.file } }]);
    expect(await manager.claim('u0', 'x/0', 1)).toEqual([own]);
    expect(JSON.parse(await readFile(changed.file, 'utf8'))).toEqual({ u0: { key: 'x/0', cpus: [own] } });
  } finally {
    for (const guest of [a, b]) guest.kill('SIGKILL');
  }
});

import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nodeLayout } from '../libvirtd/layout.ts';
import { UID } from '../testing/objects.ts';
import type { KnownDomain } from './domains.ts';
import { machineFiles } from './files.ts';
import { forgetFreeze, freeze, recallFreeze, thaw } from './freeze.ts';
import { newMemory } from './machine.ts';

/** No guest of the size of a test has an agent: what it is told is noted instead. */
let told: string[];
let home: string;
let clock: FakeClock;

beforeEach(async () => {
  told = [];
  clock = new FakeClock();
  home = await mkdtemp(`${tmpdir()}/vireo-freeze-`);
  await mkdir(machineFiles(nodeLayout(home, true), UID).directory, { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const context = () => ({
  libvirt: {
    long: {
      freezeFilesystems: async () => void told.push('freeze'),
      thawFilesystems: async () => void told.push('thaw'),
    },
  } as unknown as Parameters<typeof freeze>[1]['libvirt'],
  clock,
  log: memoryLog(),
  wake: (key: string) => void told.push(`look at ${key}`),
});

/** The machine as a run of ours that has just begun knows it. */
const machine = () => ({
  key: 'shop/web',
  files: machineFiles(nodeLayout(home, true), UID),
  memory: newMemory(),
  domain: { view: { isAgentConnected: true } } as KnownDomain,
});
const notes = (): Promise<string[]> => readdir(machineFiles(nodeLayout(home, true), UID).directory);

it('filesystems are thawed when somebody says so', async () => {
  const web = machine();
  await freeze(web, context(), 5000);
  expect(web.memory.isFrozen).toBe(true);
  await thaw(web, context());
  expect([web.memory.isFrozen, await notes()]).toEqual([false, []]);
  clock.advance(6000);
  expect(told).toEqual(['freeze', 'thaw']);
});

it('they are thawed when their time is over', async () => {
  const web = machine();
  await freeze(web, context(), 5000);
  clock.advance(4999);
  expect(told).toEqual(['freeze']);
  clock.advance(1);
  await vi.waitFor(() => expect(told).toEqual(['freeze', 'thaw', 'look at shop/web']));
  expect(web.memory.isFrozen).toBe(false);
});

it('freezing again gives them more time, and is not asked of the guest twice', async () => {
  const web = machine();
  await freeze(web, context(), 5000);
  clock.advance(4000);
  await freeze(web, context(), 5000);
  clock.advance(4000);
  expect([told, web.memory.isFrozen]).toEqual([['freeze'], true]);
});

it('a run that follows thaws what this one has frozen', async () => {
  await freeze(machine(), { ...context(), clock: new FakeClock() }, 5000);
  const after = machine();
  await recallFreeze(after, context());
  expect(after.memory.isFrozen).toBe(true);
  clock.advance(5000);
  await vi.waitFor(() => expect(told).toContain('thaw'));
});

it('a guest that refuses is not frozen', async () => {
  const web = machine();
  const refusing = context();
  refusing.libvirt.long.freezeFilesystems = async () => {
    throw new Error('no agent');
  };
  await expect(freeze(web, refusing, 0)).rejects.toThrow('no agent');
  expect([web.memory.isFrozen, await notes()]).toEqual([false, []]);
});

it('a guest that has begun anew is not frozen', async () => {
  const web = machine();
  await freeze(web, context(), 5000);
  await forgetFreeze(web);
  await recallFreeze(web, context());
  clock.advance(6000);
  expect([web.memory.isFrozen, told]).toEqual([false, ['freeze']]);
});

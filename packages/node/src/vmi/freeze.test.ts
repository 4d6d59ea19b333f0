import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { nodeLayout } from '../libvirtd/layout.ts';
import { UID } from '../testing/objects.ts';
import type { Domain } from './domainInformer.ts';
import { vmiFiles } from './files.ts';
import { forgetFreeze, freeze, restoreFreeze, thaw } from './freeze.ts';
import { emptyCache } from './localVmi.ts';

/** No guest of the size of a test has an agent: what it is told is noted instead. */
let told: string[];
let home: string;
let clock: FakeClock;

beforeEach(async () => {
  told = [];
  clock = new FakeClock();
  home = await mkdtemp(`${tmpdir()}/vireo-freeze-`);
  await mkdir(vmiFiles(nodeLayout(home, true), UID).directory, { recursive: true });
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
  enqueue: (key: string) => void told.push(`look at ${key}`),
});

/** The VMI as a run of ours that has just begun knows it. */
const local = () => ({
  key: 'shop/web',
  files: vmiFiles(nodeLayout(home, true), UID),
  cache: emptyCache(),
  domain: { view: { isAgentConnected: true } } as Domain,
});
const notes = (): Promise<string[]> => readdir(vmiFiles(nodeLayout(home, true), UID).directory);

it('filesystems are thawed when somebody says so', async () => {
  const web = local();
  await freeze(web, context(), 5000);
  expect(web.cache.isFrozen).toBe(true);
  await thaw(web, context());
  expect([web.cache.isFrozen, await notes()]).toEqual([false, []]);
  clock.advance(6000);
  expect(told).toEqual(['freeze', 'thaw']);
});

it('frozen filesystems are thawed when their time is over', async () => {
  const web = local();
  await freeze(web, context(), 5000);
  clock.advance(4999);
  expect(told).toEqual(['freeze']);
  clock.advance(1);
  await vi.waitFor(() => expect(told).toEqual(['freeze', 'thaw', 'look at shop/web']));
  expect(web.cache.isFrozen).toBe(false);
});

it('a second freeze gives more time, and does not reach the guest', async () => {
  const web = local();
  await freeze(web, context(), 5000);
  clock.advance(4000);
  await freeze(web, context(), 5000);
  clock.advance(4000);
  expect([told, web.cache.isFrozen]).toEqual([['freeze'], true]);
});

it('the agent thaws what it has frozen before a restart', async () => {
  await freeze(local(), { ...context(), clock: new FakeClock() }, 5000);
  const after = local();
  await restoreFreeze(after, context());
  expect(after.cache.isFrozen).toBe(true);
  clock.advance(5000);
  await vi.waitFor(() => expect(told).toContain('thaw'));
});

it('a guest that refuses is not frozen', async () => {
  const web = local();
  const refusing = context();
  refusing.libvirt.long.freezeFilesystems = async () => {
    throw new Error('no agent');
  };
  await expect(freeze(web, refusing, 0)).rejects.toThrow('no agent');
  expect([web.cache.isFrozen, await notes()]).toEqual([false, []]);
});

it('a guest that has begun anew is not frozen', async () => {
  const web = local();
  await freeze(web, context(), 5000);
  await forgetFreeze(web);
  await restoreFreeze(web, context());
  clock.advance(6000);
  expect([web.cache.isFrozen, told]).toEqual([false, ['freeze']]);
});

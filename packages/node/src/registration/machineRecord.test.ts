import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Client } from '@vireo/kube';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { formerMachineIds, recordMachineId } from './machineRecord.ts';
import { otherHostProblem } from './otherHost.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-machine-'));
});
afterEach(() => rm(home, { recursive: true }));

const node = { status: { nodeInfo: { machineID: 'of-the-node' } } };
const kubelet = { of: () => ({ find: async () => node }) } as unknown as Client;
const former = () => formerMachineIds(home, 'a', { kubelet, known: join(home, 'known-server.json') });
const isRefused = async (machineId: string) =>
  otherHostProblem(node as Parameters<typeof otherHostProblem>[0], {
    name: 'a',
    machineId,
    formerMachineIds: await former(),
  }) !== undefined;

it('a host that joins under the name of another is refused', async () => {
  expect(await former()).toEqual([]);
  expect(await isRefused('another')).toBe(true);
  expect(await isRefused('of-the-node')).toBe(false);
});

it('a home that has reported before may have another machine ID now', async () => {
  await recordMachineId(home, 'of-the-node');
  expect(await isRefused('of-a-new-container')).toBe(false);
  await recordMachineId(home, 'of-a-new-container');
  expect(await isRefused('another')).toBe(true);
});

it('a home of a version that kept no machine ID takes that of its Node', async () => {
  await writeFile(join(home, 'known-server.json'), '{}');
  expect(await isRefused('new')).toBe(false);
});

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { PluginReport } from '@vireo/hypervisor/plugins/load.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { findHypervisors } from './hypervisors.ts';
import { pluginLines } from './plugins.ts';
import { hypervisorsText } from './text.ts';
import type { HostProbes } from './usable.ts';

const sample = fileURLToPath(new URL('../../../../../examples/hypervisor-sample', import.meta.url));

/** A host with QEMU and nothing else. */
const bare: HostProbes = {
  kvm: async () => ({ isUsable: false, reason: 'no /dev/kvm' }),
  emulator: async () => '/usr/bin/qemu',
  deviceProblem: async (path) => `this host has no ${path}`,
};

const good: PluginReport = { plugin: 'turbo', hypervisors: ['turbo'] };
const bad: PluginReport = { plugin: 'turbo', hypervisors: [], problem: 'not today' };

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-hypervisors-'));
});
afterEach(() => rm(home, { recursive: true }));

it('lists what comes along, and why this host cannot run it', async () => {
  const list = await findHypervisors(home, bare);
  expect(list.unknown).toBe(`no server is running on ${home}`);
  expect(list.hypervisors).toMatchObject([
    { name: 'kvm', usable: false, reason: 'no /dev/kvm' },
    { name: 'qemu', usable: true },
    { name: 'hyperv-layered', aliases: ['mshv', 'hyperv-direct'], usable: false, reason: 'this host has no /dev/mshv' },
    { name: 'stub', usable: false, reason: expect.stringContaining('--simulate-nodes') },
  ]);
});

it('lists plug-ins, and those that are not used with the reason', async () => {
  const plugins = JSON.stringify({ plugins: [sample, 'missing'] });
  await writeFile(join(home, 'hypervisors.json'), plugins, { mode: 0o600 });
  const list = await findHypervisors(home, { ...bare, deviceProblem: async () => undefined });
  expect(list.hypervisors.at(-1)).toEqual({
    name: 'sample',
    aliases: ['sample-hv'],
    plugin: sample,
    devices: ['sample', 'sample-firmware'],
    usable: true,
  });
  const text = hypervisorsText({
    ...list,
    hypervisors: list.hypervisors.map((line) => ({ ...line, active: line.name === 'qemu' })),
  });
  expect(text).toMatch(/^NAME +ACTIVE +USABLE HERE/);
  expect(text).toMatch(/^qemu +yes +yes +vireo +-$/m);
  expect(text).toMatch(/^PLUG-IN +LISTED +LOADED +PROVIDES +REASON$/m);
  expect(text).toMatch(/^missing +yes +- +- +.*package\.json does not exist/m);
  expect(text).toMatch(/hypervisor-sample +yes +- +sample$/m);
});

it.each<[what: string, list: PluginReport[], server: PluginReport[], expected: object]>([
  ['both have it', [good], [good], { listed: true, loaded: true }],
  [
    'it came into the list after the start',
    [good],
    [],
    {
      listed: true,
      loaded: false,
      reason: expect.stringContaining('it was not in the list when the server started'),
    },
  ],
  [
    'it was mended after the start',
    [good],
    [bad],
    {
      loaded: false,
      reason: expect.stringContaining('it failed to load when the server started (not today), but would load now'),
    },
  ],
  ['it is broken', [bad], [bad], { listed: true, loaded: false, reason: 'not today' }],
  ['it broke after the start', [bad], [good], { loaded: true, reason: expect.stringContaining('not today') }],
  [
    'it left the list',
    [],
    [good],
    { listed: false, loaded: true, reason: expect.stringContaining('no longer in the list') },
  ],
])('tells what the running server has loaded of the list: %s', (_what, list, server, expected) => {
  expect(pluginLines(list, server)).toEqual([expect.objectContaining(expected)]);
});

it('tells what runs VMs on which nodes, and counts where they are many', async () => {
  const simulated = Array.from({ length: 10 }, (_, index) => `simulated-${index}`);
  const text = hypervisorsText({
    hypervisors: [],
    plugins: [],
    nodes: [
      { hypervisor: 'kvm', ready: false, message: '/dev/kvm does not exist', nodes: ['host'] },
      { hypervisor: 'stub', ready: true, nodes: simulated },
    ],
  });
  expect(text).toMatch(/^NODES +HYPERVISOR +READY +REASON$/m);
  expect(text).toMatch(/^host +kvm +no +\/dev\/kvm does not exist$/m);
  expect(text).toMatch(/^simulated-0, simulated-1, simulated-2 and 7 more +stub +yes$/m);
});

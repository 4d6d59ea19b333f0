import { readdir, readlink, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock } from '@vireo/kube';
import { guestXml, writeGuestDisk } from '@vireo/libvirt/testing/guest.ts';
import { TestLibvirtd } from '@vireo/libvirt/testing/libvirtd.ts';
import { describe, expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { vmiIn } from '../testing/objects.ts';
import { domainView, usedStorage } from './domainView.ts';
import { emptyCache, type RunningVmi } from './localVmi.ts';
import { closeUnplugged, leftBlockNodes, withUnplugged } from './unpluggedDisks.ts';

const disk = (name: string, ...indexes: number[]): string =>
  `<disk type='file' device='disk'><source file='/${name}.img' index='${indexes[0]}'/>${indexes
    .slice(1)
    .map((index) => `<backingStore type='file' index='${index}'><source file='/below.img'/></backingStore>`)
    .join('')}<target dev='sda' bus='scsi'/><alias name='ua-${name}'/></disk>`;
const within = (...disks: string[]): string => `<domain><devices>${disks.join('')}</devices></domain>`;
const nodes = (...names: string[]) => names.map((name) => ({ 'node-name': name, file: '/left.img' }));

describe('block nodes of disks that are out of a domain', () => {
  it.each([
    ['are none while all disks are there', nodes('libvirt-1-format', 'libvirt-1-storage'), disk('root', 1), []],
    ['are none of what lies below an image', nodes('libvirt-2-format', 'libvirt-2-storage'), disk('root', 1, 2), []],
    [
      'are none of what lies below an image and has no number',
      [{ 'node-name': 'libvirt-3-format', file: '/base.img' }],
      "<disk><source file='/root.qcow2' index='2'/><backingStore type='file'><source file='/base.img'/></backingStore></disk>",
      [],
    ],
    ['are none of the firmware, or of a drive that is empty', nodes('libvirt-pflash0-format', '#block12'), '', []],
    [
      'go from above to below',
      nodes('libvirt-3-storage', 'libvirt-3-format', 'libvirt-1-format'),
      disk('root', 1),
      ['libvirt-3-format', 'libvirt-3-storage'],
    ],
    ['are told from those with a longer number', nodes('libvirt-1-storage'), disk('root', 11), ['libvirt-1-storage']],
    ['are none of what was not unplugged', [{ 'node-name': 'libvirt-3-format', file: '/other.img' }], '', []],
    [
      "are found below the directory of a volume, and by QEMU's options",
      [
        { 'node-name': 'libvirt-3-storage', file: '/volume/disk.img' },
        { 'node-name': 'libvirt-4-storage', file: '/volume-2/disk.img' },
        { 'node-name': 'libvirt-5-format', file: 'json:{"driver":"raw","file":{"filename":"\\u002fleft.img"}}' },
      ],
      '',
      ['libvirt-5-format', 'libvirt-3-storage'],
    ],
    [
      'are none of a disk in a directory with a strange name',
      [{ 'node-name': 'libvirt-3-format', file: "/it's & that/a.img" }],
      "<disk><source file='/it&apos;s &amp; that/a.img'/></disk>",
      [],
    ],
  ])('%s', (_, given, xml, expected) => {
    expect(leftBlockNodes(given, within(xml), ['/left.img', '/base.img', '/volume', "/it's & that"])).toEqual(expected);
  });
});

it('a disk is being detached until its file is closed, unless it is to come again', () => {
  const view = domainView(within(disk('root', 1)));
  const unplugged = new Map([['/data.img', { name: 'data', target: 'sdb', askedAtMs: 0, isOut: true }]]);
  expect(withUnplugged(vmiIn('Running'), view, unplugged).diskTargets).toEqual({ root: 'sda', data: 'sdb' });
  const volumes = [{ name: 'data', dataVolume: { name: 'data', hotpluggable: true } }];
  expect(withUnplugged(vmiIn('Running', {}, { volumes }), view, unplugged)).toBe(view);
});

/** A guest in whose QEMU the nodes are open and cannot be deleted, and a clock. */
function stuck(open: readonly object[], local: Partial<RunningVmi> = {}) {
  const domain = { ref: {}, view: domainView(within(disk('root', 1))) };
  const cache = emptyCache();
  const commands: string[] = [];
  const clock = { ms: 0, now: () => clock.ms };
  const monitorCommand = async (_: unknown, text: string) => {
    const { execute, arguments: given } = JSON.parse(text);
    commands.push([execute, given['node-name']].join(' ').trim());
    return JSON.stringify(execute === 'blockdev-del' ? { error: { desc: 'in use' } } : { return: open });
  };
  const context = {
    libvirt: { calls: { monitorCommand, domainXml: async () => within(disk('root', 1)) } },
    domains: { get: () => domain },
    volumes: { claimDirectory: async (_: unknown, claim: string) => `/volumes/${claim}` },
    clock,
  } as unknown as NodeContext;
  const of = { uid: 'u', vmi: vmiIn('Running'), domain, cache, ...local } as unknown as RunningVmi;
  return { cache, commands, clock, close: () => closeUnplugged(of, context) };
}

it('a file that QEMU does not close is tried less and less often', async () => {
  const { cache, clock, close, commands } = stuck([{ 'node-name': 'libvirt-3-storage', file: '/data.img' }]);
  cache.unplugged.set('/data.img', { name: 'data', target: 'sdb', askedAtMs: 0, isOut: false });
  const waits: (number | undefined)[] = [];
  for (let i = 0; i < 8; i++) {
    waits.push(await close());
    clock.ms += waits.at(-1) ?? 0;
  }
  expect(waits).toEqual([500, 1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]);
  const count = commands.length;
  // Another report in between costs nothing.
  clock.ms -= 10_000;
  expect(await close()).toBe(10_000);
  expect(commands).toHaveLength(count);
});

it('block nodes that are of no unplugged disk are neither deleted nor waited for', async () => {
  const { cache, close, commands } = stuck([{ 'node-name': 'libvirt-3-storage', file: '/other.img' }]);
  cache.unplugged.set('/data.img', { name: 'data', target: 'sdb', askedAtMs: 0, isOut: false });
  expect(await close()).toBeUndefined();
  expect(cache.unplugged.size).toBe(0);
  expect(commands).toEqual(['query-named-block-nodes']);
});

it('a restarted agent finds the disks that were being detached', async () => {
  const hotplugVolume = {};
  const volumeStatus = [
    { name: 'data', target: 'sdb', hotplugVolume, persistentVolumeClaimInfo: { claimName: 'left' } },
    { name: 'other', target: 'sdc', hotplugVolume, persistentVolumeClaimInfo: { claimName: 'closed' } },
    { name: 'root', target: 'sda', hotplugVolume, persistentVolumeClaimInfo: { claimName: 'root' } },
  ];
  const base = vmiIn('Running');
  const vmi = { ...base, status: { ...base.status, volumeStatus } };
  const { cache, close } = stuck([{ 'node-name': 'libvirt-3-storage', file: '/volumes/left/disk.img' }], { vmi });
  expect(await close()).toBe(500);
  expect([...cache.unplugged.values()].map(({ name }) => name)).toEqual(['data']);
});

/** How often a file of that name is open on this host. */
async function openCount(name: string): Promise<number> {
  const processes = (await readdir('/proc')).filter((id) => /^\d+$/.test(id));
  const files = await Promise.all(
    processes.map(async (id) => {
      const names = await readdir(`/proc/${id}/fd`).catch(() => []);
      return Promise.all(names.map((file) => readlink(`/proc/${id}/fd/${file}`).catch(() => '')));
    }),
  );
  return files.flat().filter((file) => file.endsWith(name)).length;
}

it('QEMU closes the file of a disk that libvirt has forgotten, and no other', async () => {
  await using daemon = await TestLibvirtd.start();
  const libvirt = await daemon.connect();
  const ref = await libvirt.createDomain(guestXml('left', await writeGuestDisk(daemon.directory)));
  const forgotten = join(daemon.directory, 'forgotten-by-libvirt.img');
  await writeFile(forgotten, '');
  await truncate(forgotten, 2 ** 20);
  const ask = (execute: string, given: object) =>
    libvirt.monitorCommand(ref, JSON.stringify({ execute, arguments: given }));
  const storage = { driver: 'file', filename: forgotten, 'node-name': 'libvirt-99-storage' };
  await ask('blockdev-add', storage);
  await ask('blockdev-add', { driver: 'raw', file: 'libvirt-99-storage', 'node-name': 'libvirt-99-format' });
  expect(await openCount('/forgotten-by-libvirt.img')).toBe(1);

  const xml = await libvirt.domainXml(ref);
  const domain = { ref, view: domainView(xml) };
  expect([...usedStorage(xml).paths]).toEqual([expect.stringContaining('guest.img')]);
  const cache = emptyCache();
  const local = { uid: ref.uuid, vmi: vmiIn('Running'), domain, cache } as unknown as RunningVmi;
  const context = {
    libvirt: { calls: libvirt },
    domains: { get: () => domain },
    clock: systemClock,
  } as unknown as NodeContext;
  // Nothing was unplugged: nothing is looked at.
  expect(await closeUnplugged(local, context)).toBeUndefined();
  expect(await openCount('/forgotten-by-libvirt.img')).toBe(1);
  cache.unplugged.set(forgotten, { name: 'data', target: 'sdb', askedAtMs: 0, isOut: false });
  expect(await closeUnplugged(local, context)).toBeUndefined();
  expect(cache.unplugged.size).toBe(0);
  expect(await openCount('/forgotten-by-libvirt.img')).toBe(0);
  expect(await ask('query-named-block-nodes', { flat: true })).toContain('guest.img');
}, 60_000);

import { expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { explainDiskLock } from './diskLock.ts';

const SAID =
  'internal error: process exited while connecting to monitor: 2026-11-16T22:57:40.366026Z qemu-system-x86_64: ' +
  '-blockdev {"driver":"file"}: Failed to get "write" lock\nIs another process using the image [/disks/o\'clock.img]?';

/** A node whose domains have these disks. */
const node = (disks: Readonly<Record<string, string>>): Pick<NodeContext, 'domains' | 'libvirt'> => {
  const all = Object.keys(disks).map((name) => ({ ref: { name, uuid: name, id: 1 } }));
  const domainXml = async ({ name }: { name: string }) =>
    `<domain><devices><disk><source file='${disks[name]}'/></disk></devices></domain>`;
  return { domains: { all: () => all }, libvirt: { calls: { domainXml } } } as unknown as NodeContext;
};

it.each([
  ['names the VMI that has it open', { shop_db: '/disks/o&apos;clock.img' }, 'VirtualMachineInstance shop/db: stop'],
  ['does not name the VMI itself', { shop_web: '/disks/o&apos;clock.img' }, 'another process on this node'],
  ['names nobody who has another disk', { shop_db: '/disks/o&apos;clock.img.bak' }, 'another process on this node'],
])('a disk that is locked %s', async (_, disks, expected) => {
  const explained = await explainDiskLock(SAID, 'shop_web', node(disks as unknown as Record<string, string>));
  expect(explained).toContain("the disk /disks/o'clock.img is in use by");
  expect(explained).toContain(expected);
  expect(explained).not.toContain('lock"');
});

it('a disk that cannot be plugged in names the VMI that has it, although QEMU does not say which disk it is', async () => {
  const message = `internal error: unable to execute QEMU command 'blockdev-add': Failed to get shared "write" lock`;
  expect(await explainDiskLock(message, 'x', node({ shop_db: '/disks/a.img' }), '/disks/a.img')).toContain('shop/db');
});

it('other complaints of QEMU stay as they are', async () => {
  expect(await explainDiskLock('no such device', 'x', node({}))).toBe('no such device');
});

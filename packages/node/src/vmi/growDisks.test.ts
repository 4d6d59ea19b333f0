import { truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type Libvirt, StartFlags } from '@vireo/libvirt';
import { guestXml } from '@vireo/libvirt/testing/guest.ts';
import { TestLibvirtd } from '@vireo/libvirt/testing/libvirtd.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { NodeContext } from '../context.ts';
import { guestsOf } from '../volumes/guests.ts';
import type { Domain } from './domainInformer.ts';
import { domainView } from './domainView.ts';
import { growDisks } from './growDisks.ts';
import { emptyCache, type RunningVmi } from './localVmi.ts';

const MIB = 1 << 20;
let daemon: TestLibvirtd;
let libvirt: Libvirt;

beforeAll(async () => {
  daemon = await TestLibvirtd.start();
  libvirt = await daemon.connect();
});

afterAll(async () => {
  await libvirt?.close();
  await daemon?.stop();
});

/** A guest, paused before its first instruction, with two disks: one of them has come to a larger claim. */
async function guest() {
  const files = { moved: join(daemon.directory, 'moved.img'), whole: join(daemon.directory, 'whole.img') };
  for (const file of Object.values(files)) {
    await writeFile(file, '');
    await truncate(file, MIB);
  }
  const slices = `<slices><slice type='storage' offset='0' size='${MIB}'/></slices>`;
  const disk = (name: keyof typeof files, target: string, inside: string) =>
    `<disk type='file' device='disk'><driver name='qemu' type='raw'/><source file='${files[name]}'>${inside}</source>` +
    `<target dev='${target}' bus='virtio'/><alias name='ua-${name}'/></disk>`;
  const disks = `${disk('moved', 'vdb', slices)}${disk('whole', 'vdc', '')}`;
  const xml = guestXml('grower', join(daemon.directory, 'moved.img')).replace(
    /<disk type='file' device='disk'>[\s\S]*?<\/disk>/,
    disks,
  );
  await truncate(files.moved, 2 * MIB);
  const ref = await libvirt.long.createDomain(xml, StartFlags.PAUSED);
  const view = domainView(await libvirt.domainXml(ref));
  const domain = { ref, state: { state: 'paused', reason: 'user' }, view } as Domain;
  const claim = (name: string) => ({ name, persistentVolumeClaim: { claimName: name } });
  const vmi = { metadata: { namespace: 'default' }, spec: { volumes: [claim('moved'), claim('whole')] } };
  const local = { vmi, domain, cache: emptyCache() } as unknown as RunningVmi;
  const capacity = async (target: string) => (await libvirt.blockInfo(ref, target)).capacityBytes;
  return { files, ref, domain, local, capacity };
}

it('a disk that has come to a larger claim keeps its size, and the others grow', async () => {
  const { files, ref, domain, local, capacity } = await guest();
  await expect(libvirt.resizeBlock(ref, 'vdb', 2 * MIB)).rejects.toThrow('Cannot resize fixed-size raw disks');
  const context = { volumes: { sizeOf: () => 2 * MIB }, libvirt: { calls: libvirt } } as unknown as NodeContext;
  await growDisks(local, context);
  expect(await Promise.all(['vdb', 'vdc'].map(capacity))).toEqual([MIB, 2 * MIB]);

  // Nor when its claim grows further.
  const client = { on: () => {}, calls: libvirt } as unknown as Parameters<typeof guestsOf>[0];
  const domains = { get: () => domain } as unknown as Parameters<typeof guestsOf>[1];
  const guests = await guestsOf(client, domains, { vmis: daemon.directory } as Parameters<typeof guestsOf>[2]);
  for (const file of Object.values(files)) await guests.resize('uid', file, 3 * MIB);
  expect(await Promise.all(['vdb', 'vdc'].map(capacity))).toEqual([MIB, 3 * MIB]);
});

import { readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { type DomainRef, ReconnectingLibvirt, TypedParameters } from '@vireo/libvirt';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { startTestCluster, type TestCluster } from '../testing/cluster.ts';
import { bootSectorVm } from '../testing/vms.ts';
import { PausedGuests } from './pausedGuests.ts';
import { NotReady } from './provision/notReady.ts';

let cluster: TestCluster;
let libvirt: ReconnectingLibvirt;
let guest: DomainRef;
let paused: PausedGuests;

beforeAll(async () => {
  cluster = await startTestCluster();
  await cluster.admin.of(VirtualMachine).create(bootSectorVm('writer'));
  await cluster.vmis.until('writer', ({ status }) => status?.phase === 'Running');
  libvirt = new ReconnectingLibvirt({ socket: cluster.layout.libvirtSocket, uri: cluster.layout.uri });
  await libvirt.connected();
  [guest] = (await libvirt.calls.listDomains()) as [DomainRef];
  paused = new PausedGuests(libvirt, cluster.layout.vmis);
});
afterAll(async () => {
  await libvirt?.close();
  await cluster?.close();
});

const state = async (): Promise<string> => (await libvirt.calls.domainState(guest)).state;
const marks = async (): Promise<string[]> =>
  (await readdir(join(cluster.layout.vmis, guest.uuid))).filter((name) => name.startsWith('held'));

it('a guest is paused for one copy after the other, and goes on', async () => {
  const seen: string[] = [];
  const look = (name: string) => async () => {
    expect(paused.isHeld(guest)).toBe(true);
    seen.push(`${name} begins: ${await state()}, ${await marks()}`);
    seen.push(`${name} ends: ${await state()}`);
  };
  await Promise.all([paused.whilePaused(guest, look('first')), paused.whilePaused(guest, look('second'))]);
  expect(paused.isHeld(guest)).toBe(false);
  expect(seen).toEqual([
    'first begins: paused, held-still',
    'first ends: paused',
    'second begins: paused, held-still',
    'second ends: paused',
  ]);
  expect([await state(), await marks()]).toEqual(['running', []]);
});

it('a copy that fails lets it go on too', async () => {
  await expect(paused.whilePaused(guest, () => Promise.reject(new Error('the disk is full')))).rejects.toThrow(
    'disk is full',
  );
  expect([await state(), await marks()]).toEqual(['running', []]);
});

it('one that a user has paused stays paused, whoever copies and whoever starts anew', async () => {
  await libvirt.calls.suspendDomain(guest);
  await paused.whilePaused(guest, async () => {});
  await cluster.restartNode();
  expect([await state(), await marks()]).toEqual(['paused', []]);
  await libvirt.calls.resumeDomain(guest);
});

it('one that was paused when its holder died is let go by the next', async () => {
  void paused.whilePaused(guest, () => new Promise(() => {}));
  await vi.waitFor(async () => expect(await state()).toBe('paused'));
  await cluster.restartNode();
  expect([await state(), await marks()]).toEqual(['running', []]);
});

it('one that has left for another node does not go on here when its holder is replaced', async () => {
  const resumeDomain = vi.fn(async () => {});
  const domainState = async () => ({ state: 'paused', reason: 'migration' }) as const;
  const moving = new PausedGuests({ calls: { ...libvirt.calls, domainState, resumeDomain } }, cluster.layout.vmis);
  await writeFile(join(cluster.layout.vmis, guest.uuid, 'held-still'), guest.name);
  await moving.releaseLeft(() => guest);
  expect(resumeDomain).not.toHaveBeenCalled();
  expect(await marks()).toEqual([]);
});

it('one that moves is not paused: it could not be resumed', async () => {
  const suspendDomain = vi.fn(async () => {});
  const jobStats = async () => ({ type: 'unbounded', parameters: new TypedParameters([]) });
  const moving = new PausedGuests({ calls: { ...libvirt.calls, jobStats, suspendDomain } }, cluster.layout.vmis);
  const copy = vi.fn(async () => {});
  await expect(moving.whilePaused(guest, copy)).rejects.toThrow(NotReady);
  expect([suspendDomain, copy].map((each) => each.mock.calls.length)).toEqual([0, 0]);
  expect([await state(), await marks()]).toEqual(['running', []]);
});

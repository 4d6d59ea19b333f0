import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import type { Libvirt } from './client.ts';
import { JobStatsFlags, MigrateFlags } from './flags.ts';
import { eventually } from './testing/eventually.ts';
import { guestXml, writeGuestDisk } from './testing/guest.ts';
import { TestLibvirtd } from './testing/libvirtd.ts';
import { typed } from './typedParameters.ts';
import type { DomainRef } from './types.ts';

let source: TestLibvirtd;
let destination: TestLibvirtd;
let from: Libvirt;
let to: Libvirt;
let guest: DomainRef;
let socket: string;
const flags = MigrateFlags.LIVE | MigrateFlags.UNSAFE;

beforeEach(async () => {
  [source, destination] = await Promise.all([TestLibvirtd.start(), TestLibvirtd.start()]);
  [from, to] = await Promise.all([source.connect(), destination.connect()]);
  guest = await from.long.createDomain(guestXml('wanderer', await writeGuestDisk(source.directory)));
  socket = `unix://${join(source.directory, 'migration.sock')}`;
});

afterEach(async () => {
  await Promise.all([from?.close(), to?.close()]);
  await Promise.all([source?.stop(), destination?.stop()]);
});

async function expectMoved(): Promise<void> {
  await expect(from.domainByName('wanderer')).rejects.toMatchObject({ codeName: 'NO_DOMAIN' });
  const moved = await to.domainByName('wanderer');
  expect(moved.uuid).toBe(guest.uuid);
  expect(await to.domainState(moved)).toEqual({ state: 'running', reason: 'migrated' });
  expect((await to.jobStats(moved, JobStatsFlags.COMPLETED)).type).toBe('completed');
}

it('a running guest is moved by its daemon to another, and both tell', async () => {
  const events: string[] = [];
  const jobs: (number | undefined)[] = [];
  await from.subscribe('lifecycle', ({ event, detail }) => events.push(`source: ${event} ${detail}`));
  await from.subscribe('jobCompleted', ({ parameters }) => jobs.push(parameters.number('memory_total')));
  await to.subscribe('lifecycle', ({ event, detail }) => events.push(`destination: ${event} ${detail}`));

  const uri = `qemu+unix:///${destination.qemuUri.split('/').at(-1)}?socket=${destination.socket}`;
  await from.long.migratePeerToPeer(guest, uri, [typed.string('migrate_uri', socket)], flags);

  await expectMoved();
  await eventually('both daemons reported it', () => events.includes('source: stopped migrated') && jobs.length === 1);
  expect(jobs[0]).toBeGreaterThan(32 * 1024 * 1024);
  expect(events).toContain('destination: resumed migrated');
});

it('a running guest is moved step by step', async () => {
  await expect(from.migratePerform(guest, [], Buffer.alloc(0), flags)).rejects.toThrow(
    'the migration of wanderer has no parameter migrate_uri',
  );
  const begun = await from.migrateBegin(guest, [], flags);
  const destinationXml = typed.string('destination_xml', begun.xml);
  const prepared = await to.migratePrepare([destinationXml, typed.string('migrate_uri', socket)], begun.cookie, flags);
  const parameters = [destinationXml, typed.string('migrate_uri', prepared.uri ?? socket)];
  const performed = await from.long.migratePerform(guest, parameters, prepared.cookie, flags);
  const named = [...parameters, typed.string('destination_name', guest.name)];
  const finished = await to.migrateFinish(named, performed.cookie, flags, false);
  expect(finished.domain).toMatchObject({ name: guest.name, uuid: guest.uuid });
  await from.migrateConfirm(guest, parameters, finished.cookie, flags, false);
  await expectMoved();
});

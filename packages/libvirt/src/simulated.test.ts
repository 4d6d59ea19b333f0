/** Calls and events on a real libvirtd with its simulated driver, which is fast and has no guests. */
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Libvirt } from './client.ts';
import { ConnectionError, isLibvirtError } from './errors.ts';
import { AffectFlags, ListFlags, StatsGroups, XmlFlags } from './flags.ts';
import { eventually } from './testing/eventually.ts';
import { simulatedXml } from './testing/guest.ts';
import { TestLibvirtd } from './testing/libvirtd.ts';
import type { DomainRef } from './types.ts';

let daemon: TestLibvirtd;
let libvirt: Libvirt;
let count = 0;
let name: string;

beforeAll(async () => {
  daemon = await TestLibvirtd.start();
  libvirt = await daemon.connect({ uri: 'test:///default' });
});

afterAll(async () => {
  await libvirt?.close();
  await daemon?.stop();
});

beforeEach(() => {
  count += 1;
  name = `domain-${count}`;
});

const codeOf = (error: unknown): string => (isLibvirtError(error) ? error.codeName : String(error));

describe('the host', () => {
  it('tells who it is', async () => {
    expect(await libvirt.hypervisorType()).toBe('TEST');
    expect(await libvirt.uri()).toBe('test:///default');
    expect((await libvirt.version()).major).toBeGreaterThanOrEqual(9);
    expect(await libvirt.hypervisorVersion()).toEqual({ major: 0, minor: 0, release: 2 });
    expect(await libvirt.hostname()).not.toBe('');
    expect(await libvirt.capabilities()).toContain('<capabilities>');
  });

  it('tells what it has', async () => {
    expect(await libvirt.nodeInfo()).toEqual({
      model: 'i686',
      memoryKiB: 3145728,
      cpus: 16,
      mhz: 1400,
      numaNodes: 2,
      sockets: 2,
      cores: 2,
      threads: 2,
    });
    expect(await libvirt.freeMemoryBytes()).toBeGreaterThan(0);
    expect(await libvirt.cpuModels('x86_64')).toContain('qemu64');
  });
});

describe('domains', () => {
  it('are created, found in every way, and gone once destroyed', async () => {
    const domain = await libvirt.createDomain(simulatedXml(name));
    expect(domain).toMatchObject({ name, id: expect.any(Number) });
    expect(await libvirt.domainByName(name)).toEqual(domain);
    expect(await libvirt.domainByUuid(domain.uuid)).toEqual(domain);
    expect(await libvirt.domainById(domain.id)).toEqual(domain);
    expect(await libvirt.listDomains(ListFlags.ACTIVE | ListFlags.TRANSIENT)).toContainEqual(domain);
    expect(await libvirt.isPersistent(domain)).toBe(false);
    expect(await libvirt.domainInfo(domain)).toMatchObject({ state: 'running', memoryKiB: 65536, vcpus: 1 });

    await libvirt.destroyDomain(domain);
    await expect(libvirt.domainByName(name)).rejects.toMatchObject({
      codeName: 'NO_DOMAIN',
      domainName: 'TEST',
      procedure: 'domainLookupByName',
    });
  });

  it('go through their states, each with its reason', async () => {
    const domain = await libvirt.defineDomain(simulatedXml(name));
    const state = () => libvirt.domainState(domain);
    expect(domain.id).toBe(-1);
    expect(await state()).toEqual({ state: 'shutoff', reason: 'unknown' });
    await libvirt.startDomain(domain);
    expect(await state()).toEqual({ state: 'running', reason: 'booted' });
    await libvirt.suspendDomain(domain);
    expect(await state()).toEqual({ state: 'paused', reason: 'user' });
    await libvirt.resumeDomain(domain);
    expect(await state()).toEqual({ state: 'running', reason: 'unpaused' });
    await libvirt.rebootDomain(domain);
    expect(await libvirt.isActive(domain)).toBe(true);
    await libvirt.shutdownDomain(domain);
    expect(await state()).toEqual({ state: 'shutoff', reason: 'shutdown' });
    expect(await libvirt.isActive(domain)).toBe(false);
    await libvirt.undefineDomain(domain);
    await expect(state()).rejects.toMatchObject({ codeName: 'NO_DOMAIN' });
  });

  it('refuse what makes no sense, each with its own code', async () => {
    const domain = await libvirt.defineDomain(simulatedXml(name));
    expect(codeOf(await libvirt.destroyDomain(domain).catch((e) => e))).toBe('OPERATION_INVALID');
    expect(codeOf(await libvirt.createDomain('<domain').catch((e) => e))).toBe('XML_DETAIL');
    expect(codeOf(await libvirt.createDomain('<domain type="test"/>').catch((e) => e))).toBe('NO_NAME');
    expect(codeOf(await libvirt.guestInfo(domain).catch((e) => e))).toBe('NO_SUPPORT');
    expect(codeOf(await libvirt.createDomain(simulatedXml(name), 1 << 30).catch((e) => e))).toBe('INVALID_ARG');
    expect(codeOf(await libvirt.attachDevice(domain, '<disk/>').catch((e) => e))).toMatch(/NO_SUPPORT|XML_ERROR/);
    const twin = simulatedXml(name).replace('<memory', '<uuid>11111111-2222-4333-8444-555555555555</uuid><memory');
    expect(codeOf(await libvirt.defineDomain(twin).catch((e) => e))).toBe('OPERATION_FAILED');
    await libvirt.undefineDomain(domain);
  });

  it('keep names that are anything but plain', async () => {
    const odd = `ümläut 日本 'quoted' & <tag> ${name}`;
    const escaped = odd.replaceAll('&', '&amp;').replaceAll('<', '&lt;');
    const domain = await libvirt.createDomain(simulatedXml(escaped));
    expect((await libvirt.domainByName(odd)).uuid).toBe(domain.uuid);
    await expect(libvirt.domainByName('with\0nul')).rejects.toThrow(/contains NUL/);
    await libvirt.destroyDomain(domain);
  });

  it('are renamed, titled, and carry metadata', async () => {
    const domain = await libvirt.defineDomain(simulatedXml(name));
    const namespace = 'https://example.com/notes';
    await libvirt.setMetadata(domain, { namespace, prefix: 'n', xml: '<owner>me</owner>' }, AffectFlags.CONFIG);
    expect(await libvirt.metadata(domain, namespace, AffectFlags.CONFIG)).toContain('me</owner>');
    await libvirt.setMetadata(domain, { namespace, prefix: 'n' }, AffectFlags.CONFIG);
    await expect(libvirt.metadata(domain, namespace)).rejects.toMatchObject({ codeName: 'NO_DOMAIN_METADATA' });
    await libvirt.setTitle(domain, 'A title', AffectFlags.CONFIG);
    expect(await libvirt.title(domain, AffectFlags.CONFIG)).toBe('A title');
    expect(await libvirt.domainXml(domain, XmlFlags.INACTIVE)).toContain('<title>A title</title>');

    await libvirt.renameDomain(domain, `${name}-renamed`);
    expect((await libvirt.domainByUuid(domain.uuid)).name).toBe(`${name}-renamed`);
    await libvirt.setAutostart(domain, true);
    expect(await libvirt.listDomains(ListFlags.AUTOSTART)).toHaveLength(1);
    await libvirt.undefineDomain(domain);
  });

  it('change their memory and CPUs', async () => {
    const xml = simulatedXml(name).replace('<os>', '<vcpu current="1">4</vcpu><os>');
    const domain = await libvirt.createDomain(xml);
    await libvirt.setMemory(domain, 32 * 1024, AffectFlags.LIVE);
    expect(await libvirt.domainInfo(domain)).toMatchObject({ memoryKiB: 32768, maxMemoryKiB: 65536 });
    await libvirt.setVcpus(domain, 3, AffectFlags.LIVE);
    expect(await libvirt.vcpus(domain, AffectFlags.LIVE)).toBe(3);
    expect(await libvirt.memoryStats(domain)).toHaveProperty('rss');
    await libvirt.destroyDomain(domain);
  });

  it('tell their statistics in one call', async () => {
    const domain = await libvirt.createDomain(simulatedXml(name));
    const [record, ...others] = await libvirt.domainStats(StatsGroups.STATE, [domain]);
    expect(others).toEqual([]);
    expect(record?.domain).toEqual(domain);
    expect(record?.parameters.toObject()).toEqual({ 'state.state': 1, 'state.reason': 1 });
    expect((await libvirt.domainStats(StatsGroups.STATE)).length).toBeGreaterThan(1);
    await libvirt.destroyDomain(domain);
  });

  it('have snapshots', async () => {
    const domain = await libvirt.createDomain(simulatedXml(name));
    const first = await libvirt.createSnapshot(domain, '<domainsnapshot><name>first</name></domainsnapshot>');
    expect(first).toEqual({ name: 'first', domain });
    await libvirt.createSnapshot(domain, '<domainsnapshot><name>second</name></domainsnapshot>');
    expect((await libvirt.listSnapshots(domain)).map((snapshot) => snapshot.name).sort()).toEqual(['first', 'second']);
    expect(await libvirt.snapshotXml(first)).toContain('<name>first</name>');
    await libvirt.revertToSnapshot(first);
    await libvirt.deleteSnapshot(await libvirt.snapshotByName(domain, 'second'));
    await libvirt.deleteSnapshot(first);
    await expect(libvirt.snapshotByName(domain, 'first')).rejects.toMatchObject({ codeName: 'NO_DOMAIN_SNAPSHOT' });
    await libvirt.destroyDomain(domain);
  });

  it('are saved and restored', async () => {
    const domain = await libvirt.defineDomain(simulatedXml(name));
    await libvirt.startDomain(domain);
    expect(await libvirt.hasManagedSave(domain)).toBe(false);
    await libvirt.managedSave(domain);
    expect(await libvirt.domainState(domain)).toEqual({ state: 'shutoff', reason: 'saved' });
    expect(await libvirt.hasManagedSave(domain)).toBe(true);
    await libvirt.removeManagedSave(domain);

    const file = `${daemon.directory}/${name}.save`;
    await libvirt.startDomain(domain);
    await libvirt.saveDomain(domain, file);
    await libvirt.restoreDomain(file);
    expect(await libvirt.domainState(domain)).toEqual({ state: 'running', reason: 'restored' });
    await libvirt.destroyDomain(domain);
    await libvirt.undefineDomain(domain);
  });

  it('know what their guest tells, in the simulation', async () => {
    const domain = await libvirt.createDomain(simulatedXml(name));
    expect(await libvirt.filesystems(domain)).toEqual([
      { mountPoint: '/', name: 'vda1', type: 'ext4', disks: ['vda'] },
      { mountPoint: '/boot', name: 'vda2', type: 'ext4', disks: ['vda'] },
    ]);
    expect(await libvirt.freezeFilesystems(domain)).toBe(2);
    expect(await libvirt.thawFilesystems(domain)).toBe(2);
    expect(await libvirt.interfaceAddresses(domain, 'agent')).toEqual([
      {
        name: 'net0',
        hardwareAddress: '52:54:00:00:00:01',
        addresses: [{ family: 'ipv4', address: expect.stringMatching(/^\d+(\.\d+){3}$/), prefix: 24 }],
      },
    ]);
    expect(await libvirt.blockStats(domain, 'vda')).toMatchObject({ errors: expect.any(Number) });
    expect(await libvirt.interfaceStats(domain, 'net0')).toMatchObject({ sentBytes: expect.any(Number) });
    expect(await libvirt.diskErrors(domain)).toEqual([{ disk: 'vda', error: 'unspecified' }]);
    expect(await libvirt.guestTime(domain)).toBeGreaterThan(0);
    await libvirt.setUserPassword(domain, 'root', 'secret');
    await libvirt.sendKey(domain, [29, 56, 111]);
    expect(await libvirt.controlInfo(domain)).toMatchObject({ state: 'ok' });
    await libvirt.destroyDomain(domain);
  });
});

describe('events', () => {
  it('tell every step of a life, in order, with what led to it', async () => {
    const seen: string[] = [];
    const subscription = await libvirt.subscribe('lifecycle', ({ domain, event, detail }) => {
      if (domain.name === name) seen.push(`${event} ${detail}`);
    });
    const domain = await libvirt.defineDomain(simulatedXml(name));
    await libvirt.startDomain(domain);
    await libvirt.suspendDomain(domain);
    await libvirt.resumeDomain(domain);
    await libvirt.destroyDomain(domain);
    await libvirt.undefineDomain(domain);
    await eventually('the last event came', () => seen.length === 6);
    expect(seen).toEqual([
      'defined added',
      'started booted',
      'suspended paused',
      'resumed unpaused',
      'stopped destroyed',
      'undefined removed',
    ]);
    await subscription.cancel();
  });

  it('come for one domain only, and no more once cancelled', async () => {
    const [one, other] = (await Promise.all(
      ['a', 'b'].map((suffix) => libvirt.defineDomain(simulatedXml(`${name}-${suffix}`))),
    )) as [DomainRef, DomainRef];
    const seen: string[] = [];
    const all: string[] = [];
    const subscription = await libvirt.subscribe('lifecycle', (e) => seen.push(e.domain.name), { domain: one });
    const everything = await libvirt.subscribe('lifecycle', (e) => all.push(`${e.domain.name} ${e.event}`));
    await libvirt.startDomain(other);
    await libvirt.startDomain(one);
    await eventually('the event of the first came', () => seen.length === 1);
    expect(seen).toEqual([one.name]);
    await subscription.cancel();
    for (const domain of [one, other]) {
      await libvirt.destroyDomain(domain);
      await libvirt.undefineDomain(domain);
    }
    await eventually('all events came', () => all.includes(`${other.name} undefined`));
    expect(seen).toEqual([one.name]);
    await everything.cancel();
  });

  it('are shared by all who want the same, and stop with the last', async () => {
    const seen: string[] = [];
    const subscribe = (who: string) => libvirt.subscribe('lifecycle', ({ event }) => seen.push(`${who} ${event}`));
    const [first, second] = await Promise.all([subscribe('first'), subscribe('second')]);
    const domain = await libvirt.defineDomain(simulatedXml(name));
    await eventually('both got the event', () => seen.length === 2);
    await first.cancel();
    await libvirt.startDomain(domain);
    await eventually('the other got the event', () => seen.length === 3);
    const [, third] = await Promise.all([second.cancel(), subscribe('third')]);
    await libvirt.destroyDomain(domain);
    await eventually('the newcomer got the event', () => seen.length === 4);
    expect(seen).toEqual(['first defined', 'second defined', 'second started', 'third stopped']);
    await third.cancel();
    await libvirt.undefineDomain(domain);
  });

  it('tell changed metadata', async () => {
    const changes: unknown[] = [];
    const subscription = await libvirt.subscribe('metadataChange', ({ type, namespace }) => {
      changes.push({ type, namespace });
    });
    const domain = await libvirt.createDomain(simulatedXml(name));
    await libvirt.setMetadata(domain, { namespace: 'urn:x', prefix: 'x', xml: '<a/>' });
    await libvirt.setTitle(domain, 'T');
    await eventually('both changes were reported', () => changes.length === 2);
    expect(changes).toEqual([
      { type: 'element', namespace: 'urn:x' },
      { type: 'title', namespace: undefined },
    ]);
    await subscription.cancel();
    await libvirt.destroyDomain(domain);
  });

  it('of every kind can be asked for', async () => {
    const { domainEvents } = await import('./events.ts');
    for (const kind of Object.keys(domainEvents) as (keyof typeof domainEvents)[]) {
      const subscription = await libvirt.subscribe(kind, () => {});
      await subscription.cancel();
    }
  });
});

describe('a client', () => {
  it('tells in its errors where the call was made', async () => {
    const error = await libvirt.domainByName('absent').catch((error: Error) => error);
    expect((error as Error).stack).toContain('simulated.test.ts');
  });

  it('makes hundreds of calls at once', async () => {
    const domain = await libvirt.createDomain(simulatedXml(name));
    const states = await Promise.all(Array.from({ length: 500 }, () => libvirt.domainState(domain)));
    expect(new Set(states.map(({ state }) => state))).toEqual(new Set(['running']));
    await libvirt.destroyDomain(domain);
  });

  it('has room for long calls beside the others', async () => {
    const domains = await Promise.all(
      Array.from({ length: 20 }, (_, index) => libvirt.long.createDomain(simulatedXml(`${name}-${index}`))),
    );
    expect(new Set(domains.map(({ uuid }) => uuid)).size).toBe(20);
    await Promise.all(domains.map((domain) => libvirt.long.destroyDomain(domain)));
  });

  it('may only look when it is read-only', async () => {
    const reader = await daemon.connect({ uri: 'test:///default', readOnly: true });
    expect(await reader.listDomains()).not.toEqual([]);
    await expect(reader.createDomain(simulatedXml(name))).rejects.toMatchObject({ codeName: 'OPERATION_DENIED' });
    await reader.close();
  });

  it('fails when there is no such driver', async () => {
    await expect(daemon.connect({ uri: 'nonsense:///' })).rejects.toMatchObject({ codeName: 'NO_CONNECT' });
  });

  it('refuses calls once closed', async () => {
    const closed = await daemon.connect({ uri: 'test:///default' });
    await closed.close();
    await expect(closed.listDomains()).rejects.toThrow(/connectListAllDomains failed: .*the connection was closed/);
    await expect(closed.long.listDomains()).rejects.toThrow(ConnectionError);
    expect(await closed.ended).toBeInstanceOf(ConnectionError);
  });
});

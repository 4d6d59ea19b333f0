/** What only a real domain shows: its console, its screen, its devices, how it ends. */
import { randomUUID } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Libvirt } from './client.ts';
import { isLibvirtError } from './errors.ts';
import { DeviceFlags, DumpFlags, ShutdownFlags, StartFlags, StatsGroups } from './flags.ts';
import type { LibvirtStream } from './streams.ts';
import { eventually } from './testing/eventually.ts';
import { greeting, guestXml, writeGuestDisk } from './testing/guest.ts';
import { TestLibvirtd } from './testing/libvirtd.ts';
import { typed } from './typedParameters.ts';
import type { DomainRef } from './types.ts';

let daemon: TestLibvirtd;
let libvirt: Libvirt;
let disk: string;
let domain: DomainRef;
const lifecycle: string[] = [];

beforeAll(async () => {
  daemon = await TestLibvirtd.start();
  libvirt = await daemon.connect();
  disk = await writeGuestDisk(daemon.directory);
  await libvirt.subscribe('lifecycle', (event) => {
    lifecycle.push(`${event.domain.name} ${event.event} ${event.detail}`);
  });
  domain = await libvirt.long.createDomain(guestXml('guest', disk), StartFlags.PAUSED | StartFlags.VALIDATE);
});

afterAll(async () => {
  await libvirt?.close();
  await daemon?.stop();
});

/** Collects what comes from a console. How it ends is libvirt's whim: as ended or as failed. */
function listen(console: LibvirtStream) {
  let text = '';
  console.on('error', () => {});
  console.on('data', (data: Buffer) => {
    text += data.toString('latin1');
  });
  const says = (what: string) => eventually(`the console says ${JSON.stringify(what)}`, () => text.includes(what));
  return {
    says,
    /** QEMU looks once a second whether somebody listens again, and what a guest says before is lost. */
    async isHeard(): Promise<void> {
      console.write('?');
      await says('?');
    },
  };
}

describe('the host of real domains', () => {
  it('tells what guests can have', async () => {
    expect(await libvirt.hypervisorType()).toBe('QEMU');
    expect((await libvirt.hypervisorVersion()).major).toBeGreaterThanOrEqual(7);
    const capabilities = await libvirt.domainCapabilities({ arch: 'x86_64', machine: 'q35', virtType: 'qemu' });
    expect(capabilities).toContain('<domain>qemu</domain>');
    const cpu = '<cpu><arch>x86_64</arch><model>qemu64</model></cpu>';
    const choice = { arch: 'x86_64', machine: 'q35', virtType: 'qemu' };
    expect(await libvirt.baselineHypervisorCpu([cpu], choice, 1)).toMatch(/<feature policy='require' name='sse2'\/>/);
    expect(await libvirt.nodeMemoryStats()).toMatchObject({ total: expect.any(Number), free: expect.any(Number) });
    expect(await libvirt.domainXmlToNative(guestXml('not-started', disk))).toContain('-machine');
  });
});

describe('a guest', () => {
  it('starts paused when asked to, and speaks from its first byte once it is let go', async () => {
    expect(await libvirt.domainState(domain)).toEqual({ state: 'paused', reason: 'user' });
    const console = await libvirt.openConsole(domain);
    const heard = listen(console);
    await libvirt.resumeDomain(domain);
    await heard.says(greeting);
    expect(await libvirt.domainState(domain)).toEqual({ state: 'running', reason: 'unpaused' });

    console.write('echo ');
    console.write('this');
    await heard.says('echo this');
    console.end();
    await eventually('the console is closed', () => console.closed);
    expect(console.errored).toBeNull();
  });

  it('has one console, which can be taken over', async () => {
    const first = await libvirt.openConsole(domain);
    await expect(libvirt.openConsole(domain)).rejects.toMatchObject({ codeName: 'OPERATION_FAILED' });
    const ended = new Promise((resolve) => first.once('close', resolve));
    first.on('error', () => {}).resume();
    const second = await libvirt.openConsole(domain, { flags: 1 });
    await ended;
    const heard = listen(second);
    second.write('mine now');
    await heard.says('mine now');
    second.destroy();
    await eventually('the console is free again', async () => {
      const third = await libvirt.openConsole(domain).catch(() => undefined);
      third?.destroy();
      return third !== undefined;
    });
  });

  it('is heard in full by a slow reader, who holds up nobody else', async () => {
    const stop = new AbortController();
    const console = await libvirt.openConsole(domain, { flags: 1 }, { signal: stop.signal });
    const text = 'x'.repeat(100).concat('y'.repeat(100), 'z'.repeat(100));
    for (let start = 0; start < text.length; start += 10) console.write(text.slice(start, start + 10));
    expect((await libvirt.domainState(domain)).state).toBe('running');
    let heard = '';
    for await (const data of console as AsyncIterable<Buffer>) {
      heard += data.toString('latin1');
      if (heard.length >= text.length) break;
    }
    expect(heard).toBe(text);
    stop.abort();
  });

  it('loses its console when the one who opened it gives up', async () => {
    const stop = new AbortController();
    const console = await libvirt.openConsole(domain, { flags: 1 }, { signal: stop.signal });
    const failed = new Promise<Error>((resolve) => console.once('error', resolve));
    stop.abort();
    expect((await failed).name).toBe('AbortError');
    await expect(libvirt.openConsole(domain, { flags: 1 }, { signal: stop.signal })).rejects.toThrow(/abort/);
    await expect(libvirt.openConsole(domain, { device: 'serial7' })).rejects.toMatchObject({
      procedure: 'domainOpenConsole',
    });
  });

  it('loses its console when the client is closed', async () => {
    const other = await daemon.connect();
    const console = await other.openConsole(domain, { flags: 1 });
    const failed = new Promise<Error>((resolve) => console.once('error', resolve));
    await other.close();
    expect((await failed).message).toContain('the client was closed');
  });

  it('shows its screen', async () => {
    const { mimeType, image } = await libvirt.screenshot(domain);
    expect(mimeType).toBe('image/png');
    expect(image.subarray(1, 4).toString()).toBe('PNG');
    expect(image.subarray(-8, -4).toString()).toBe('IEND');
    await expect(libvirt.screenshot(domain, 9)).rejects.toMatchObject({ procedure: 'domainScreenshot' });
  });

  it("answers by QEMU's monitor", async () => {
    const answer = JSON.parse(await libvirt.qemuMonitorCommand(domain, '{"execute":"query-status"}'));
    expect(answer.return).toMatchObject({ running: true });
    expect(await libvirt.qemuMonitorCommand(domain, 'info status', { human: true })).toContain('running');
  });

  it('has no agent, and says so', async () => {
    await expect(libvirt.agentCommand(domain, '{"execute":"guest-ping"}')).rejects.toMatchObject({
      codeName: 'AGENT_UNRESPONSIVE',
    });
    await expect(libvirt.interfaceAddresses(domain, 'agent')).rejects.toMatchObject({ codeName: 'AGENT_UNRESPONSIVE' });
    await expect(libvirt.guestInfo(domain)).rejects.toMatchObject({ codeName: 'AGENT_UNRESPONSIVE' });
  });

  it('tells its statistics', async () => {
    const [record] = await libvirt.domainStats(StatsGroups.CPU_TOTAL | StatsGroups.BLOCK, [domain]);
    expect(record?.parameters.bigint('cpu.time')).toBeGreaterThan(0n);
    expect(record?.parameters.string('block.0.name')).toBe('vda');
    expect(await libvirt.blockInfo(domain, 'vda')).toMatchObject({ capacityBytes: 1024 * 1024 });
    expect((await libvirt.blockStats(domain, 'vda')).readBytes).toBeGreaterThanOrEqual(512);
    expect((await libvirt.memoryStats(domain)).rss).toBeGreaterThan(1024);
    expect(await libvirt.jobStats(domain)).toMatchObject({ type: 'none' });
  });

  it('takes a medium into its drive and gives it back, with the tray telling', async () => {
    const image = join(daemon.directory, 'medium.iso');
    await writeFile(image, Buffer.alloc(64 * 1024));
    const tray: string[] = [];
    const subscription = await libvirt.subscribe('trayChange', (event) => tray.push(event.tray), { domain });
    const drive = (source: string) =>
      `<disk type='file' device='cdrom'>${source}<target dev='sda' bus='sata'/><readonly/></disk>`;
    await libvirt.updateDevice(domain, drive(`<source file='${image}'/>`), DeviceFlags.LIVE);
    expect(await libvirt.domainXml(domain)).toContain(image);
    await libvirt.updateDevice(domain, drive(''), DeviceFlags.LIVE);
    expect(await libvirt.domainXml(domain)).not.toContain(image);
    await expect(
      libvirt.updateDevice(domain, drive(`<source file='/nope.iso'/>`), DeviceFlags.LIVE),
    ).rejects.toMatchObject({ codeName: 'SYSTEM_ERROR' });
    await eventually('the tray moved', () => tray.includes('open') && tray.includes('closed'));
    await subscription.cancel();
  });

  it('gets devices while it runs', async () => {
    const added: string[] = [];
    const subscription = await libvirt.subscribe('deviceAdded', (event) => added.push(event.alias), { domain });
    const rng = `<rng model='virtio'><backend model='random'>/dev/urandom</backend><alias name='ua-luck'/></rng>`;
    await libvirt.attachDevice(domain, rng, DeviceFlags.LIVE);
    await eventually('the device was added', () => added.includes('ua-luck'));
    // This guest has no driver that would let go of a device: the request is all there is to see.
    await libvirt.detachDeviceByAlias(domain, 'ua-luck', DeviceFlags.LIVE);
    await expect(libvirt.detachDeviceByAlias(domain, 'ua-absent', DeviceFlags.LIVE)).rejects.toThrow(/ua-absent/);
    await subscription.cancel();
  });

  it('is dumped while it runs', async () => {
    const file = join(daemon.directory, 'dump');
    await libvirt.long.coreDump(domain, file, { flags: DumpFlags.LIVE | DumpFlags.MEMORY_ONLY });
    const dump = await readFile(file);
    expect(dump.subarray(1, 4).toString()).toBe('ELF');
    expect(dump.length).toBeGreaterThan(32 * 1024 * 1024);
    expect(dump.includes(greeting)).toBe(true);
  });

  it('understands the form of all further calls, whether it grants them or not', async () => {
    const agentSeconds = 1;
    const calls: Record<string, () => Promise<unknown>> = {
      sysinfo: () => libvirt.sysinfo(),
      compareCpu: () => libvirt.compareCpu("<cpu mode='custom'><model>qemu64</model></cpu>"),
      // Not to this guest: in the middle of a BIOS interrupt it is the end of it.
      injectNmi: () => libvirt.injectNmi({ ...domain, uuid: randomUUID() }),
      pmSuspend: () => libvirt.pmSuspend(domain, 'memory'),
      pmWakeup: () => libvirt.pmWakeup(domain),
      renameDomain: () => libvirt.renameDomain(domain, 'other'),
      resizeBlock: () => libvirt.resizeBlock(domain, 'vda', 1024 * 1024),
      setBlockIoTune: () => libvirt.setBlockIoTune(domain, 'vda', [typed.ullong('total_iops_sec', 1000n)], 1),
      blockCommit: () => libvirt.blockCommit(domain, 'vda', { base: '/a', top: '/b', bandwidth: 1 }),
      blockCopy: () => libvirt.blockCopy(domain, 'vda', '<disk/>', [typed.ullong('bandwidth', 1n)]),
      abortBlockJob: () => libvirt.abortBlockJob(domain, 'vda'),
      setMemoryStatsPeriod: () => libvirt.setMemoryStatsPeriod(domain, 5, 1),
      guestVcpus: () => libvirt.guestVcpus(domain),
      startDirtyRateCalculation: () => libvirt.startDirtyRateCalculation(domain, 1),
      setAgentTimeout: () => libvirt.setAgentTimeout(domain, agentSeconds),
      trimFilesystems: () => libvirt.trimFilesystems(domain),
      guestHostname: () => libvirt.guestHostname(domain, 'agent'),
      guestTime: () => libvirt.guestTime(domain),
      setGuestTime: () => libvirt.setGuestTime(domain, 1_700_000_000_500),
      authorizedSshKeys: () => libvirt.authorizedSshKeys(domain, 'root'),
      setAuthorizedSshKeys: () => libvirt.setAuthorizedSshKeys(domain, 'root', ['ssh-ed25519 AAAA'], 1),
      setUserPassword: () => libvirt.setUserPassword(domain, 'root', 'secret'),
      saveImageXml: () => libvirt.saveImageXml('/absent'),
      restoreDomain: () => libvirt.restoreDomain('/absent', { xml: '<domain/>' }),
      beginBackup: () => libvirt.beginBackup(domain, '<domainbackup mode="nonsense"/>'),
      startPostCopy: () => libvirt.startPostCopy(domain),
      setMigrationMaxDowntime: () => libvirt.setMigrationMaxDowntime(domain, 100),
      setMigrationMaxSpeed: () => libvirt.setMigrationMaxSpeed(domain, 100),
      abortJob: () => libvirt.abortJob(domain),
      launchSecurityInfo: () => libvirt.launchSecurityInfo(domain),
      openChannel: async () => (await libvirt.openChannel(domain, { name: 'org.qemu.guest_agent.0' })).destroy(),
      sendKey: () => libvirt.sendKey(domain, [30], { codeSet: 'linux', holdMs: 1 }),
      domainMessages: () => libvirt.domainMessages(domain),
      isPersistent: () => libvirt.isPersistent(domain),
    };
    for (const [name, call] of Object.entries(calls)) {
      const outcome = await call().catch((error: unknown) => error);
      // A daemon that cannot read a call answers with the code RPC; what we cannot read is no LibvirtError.
      if (outcome instanceof Error) expect({ name, error: outcome }).toMatchObject({ error: { name: 'LibvirtError' } });
      if (isLibvirtError(outcome)) expect({ name, code: outcome.codeName }).not.toEqual({ name, code: 'RPC' });
    }
    expect((await libvirt.blockIoTune(domain, 'vda')).bigint('total_iops_sec')).toBe(1000n);
    expect(await libvirt.blockJobInfo(domain, 'vda')).toBeUndefined();
    expect((await libvirt.domainState(domain)).state).toBe('running');
  });

  it('is reset, and greets again', async () => {
    const reboots: string[] = [];
    const subscription = await libvirt.subscribe('reboot', (event) => reboots.push(event.domain.name));
    const console = await libvirt.openConsole(domain, { flags: 1 });
    const heard = listen(console);
    await heard.isHeard();
    await libvirt.resetDomain(domain);
    await heard.says(greeting);
    await eventually('the reboot was reported', () => reboots.includes('guest'));
    console.destroy();
    await subscription.cancel();
  });

  it('shuts down when asked, which ends its console', async () => {
    const console = await libvirt.openConsole(domain, { flags: 1 });
    const heard = listen(console);
    await heard.isHeard();
    await libvirt.shutdownDomain(domain, ShutdownFlags.ACPI_POWER_BUTTON);
    // Its last words may be missing: the kernel drops what libvirtd has not read from the pty when QEMU exits.
    await eventually('the console is closed', () => console.closed);
    await eventually('its end was reported', () => lifecycle.includes('guest stopped shutdown'));
    expect(lifecycle.slice(0, 3)).toEqual(['guest started booted', 'guest suspended paused', 'guest resumed unpaused']);
    expect(lifecycle.slice(-2)).toEqual(['guest shutdown guest', 'guest stopped shutdown']);
    await expect(libvirt.domainState(domain)).rejects.toMatchObject({ codeName: 'NO_DOMAIN' });
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ConnectionError } from './errors.ts';
import { ReconnectingLibvirt } from './reconnecting.ts';
import { eventually } from './testing/eventually.ts';
import { guestXml, simulatedXml, writeGuestDisk } from './testing/guest.ts';
import { TestLibvirtd } from './testing/libvirtd.ts';

let daemon: TestLibvirtd;
let libvirt: ReconnectingLibvirt;
let log: string[];

const backoff = { initialMs: 5, maxMs: 50 };

beforeEach(async () => {
  daemon = await TestLibvirtd.start();
  log = [];
});

afterEach(async () => {
  await libvirt?.close();
  await daemon?.stop();
});

function connectTo(options: Partial<ConstructorParameters<typeof ReconnectingLibvirt>[0]> = {}): ReconnectingLibvirt {
  const client = new ReconnectingLibvirt({ socket: daemon.socket, uri: daemon.qemuUri, backoff, ...options });
  client.on('connected', () => log.push('connected'));
  client.on('disconnected', () => log.push('disconnected'));
  return client;
}

describe('when libvirtd is killed', () => {
  it('calls under way fail, the guest runs on, and events go on after the restart', async () => {
    libvirt = connectTo();
    await libvirt.connected();
    const disk = await writeGuestDisk(daemon.directory);
    const guest = await libvirt.long.createDomain(guestXml('survivor', disk));
    const events: string[] = [];
    await libvirt.subscribe('lifecycle', ({ domain, event }) => events.push(`${domain.name} ${event}`));

    const outcomes: Promise<string>[] = [];
    const call = async () => {
      const outcome = libvirt.calls.domainState(guest).then(
        ({ state }) => state as string,
        (error: Error) => `${error.name}: ${error.message}`,
      );
      outcomes.push(outcome);
      return outcome;
    };
    for (let index = 0; index < 200; index += 1) void call();
    const killed = daemon.signalDaemon('KILL');
    while ((await call()) === 'running');
    expect(libvirt.isConnected).toBe(false);
    await killed;
    const results = await Promise.all(outcomes);
    expect(
      results.every((result) => result === 'running' || result.startsWith('ConnectionError: domainGetState failed')),
    ).toBe(true);
    await expect(libvirt.calls.listDomains()).rejects.toThrow(
      /connectListAllDomains failed: not connected to libvirtd/,
    );
    await expect(libvirt.long.listDomains()).rejects.toThrow(ConnectionError);

    await daemon.startDaemon();
    await libvirt.connected();
    expect(log[0]).toBe('connected');
    expect(log.at(-1)).toBe('connected');
    expect(log.filter((entry) => entry === 'connected')).toHaveLength(2);
    expect(await libvirt.calls.listDomains()).toEqual([guest]);
    expect(await libvirt.calls.domainState(guest)).toMatchObject({ state: 'running' });
    const console = await libvirt.calls.openConsole(guest);
    console.write('still there?');
    let heard = '';
    for await (const data of console as AsyncIterable<Buffer>) {
      heard += data;
      if (heard.includes('still there?')) break;
    }

    await libvirt.calls.destroyDomain(guest);
    await eventually('the end of the guest was reported', () => events.includes('survivor stopped'));
  });
});

describe('a client that reconnects', () => {
  it('waits for a daemon that comes later, and says meanwhile why it has none', async () => {
    await daemon.signalDaemon('KILL');
    const early = new ReconnectingLibvirt({ socket: `${daemon.directory}/none/sock`, backoff });
    await expect(early.calls.listDomains()).rejects.toThrow(/the first connection is still being opened/);
    const [error] = await new Promise<[Error]>((resolve) => early.once('disconnected', (...args) => resolve(args)));
    expect(error.message).toContain(`${daemon.directory}/none/sock`);
    const waiting = early.connected();
    const refused = expect(waiting).rejects.toThrow(/the client was closed/);
    await early.close();
    await refused;

    libvirt = connectTo({ uri: 'test:///default' });
    const subscribed = libvirt.subscribe('lifecycle', ({ event }) => log.push(event));
    await daemon.startDaemon();
    await subscribed;
    await libvirt.calls.createDomain(simulatedXml('later'));
    await eventually('the event came', () => log.includes('started'));
  });

  it('gives up a daemon that hangs, and comes back when it goes on', async () => {
    libvirt = connectTo({
      uri: 'test:///default',
      keepAlive: { intervalMs: 50, count: 2 },
      connectTimeoutMs: 200,
    });
    await libvirt.connected();
    await daemon.signalDaemon('STOP');
    await eventually('the connection was given up', () => log.includes('disconnected'));
    await daemon.signalDaemon('CONT');
    const type = () => libvirt.calls.hypervisorType().catch(() => undefined);
    await eventually('calls are answered again', async () => (await type()) === 'TEST');
  });

  it('makes no subscription again that was cancelled', async () => {
    libvirt = connectTo({ uri: 'test:///default' });
    const events: string[] = [];
    const kept = await libvirt.subscribe('lifecycle', ({ event }) => events.push(`kept ${event}`));
    const cancelled = await libvirt.subscribe('lifecycle', ({ event }) => events.push(`cancelled ${event}`));
    await cancelled.cancel();
    await daemon.signalDaemon('KILL');
    await eventually('the connection was lost', () => !libvirt.isConnected);
    await daemon.startDaemon();
    await libvirt.connected();
    await libvirt.calls.createDomain(simulatedXml('one'));
    await eventually('the event came', () => events.length > 0);
    expect(events).toEqual(['kept started']);
    await kept.cancel();
  });
});

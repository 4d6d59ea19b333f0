import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { int, nothing, string, struct } from './codec.ts';
import { Connection } from './connection.ts';
import { CallTimeoutError, ConnectionError, isLibvirtError, LibvirtError, ProtocolError } from './errors.ts';
import { domainEvents } from './events.ts';
import { packetTypes } from './packet.ts';
import { procedure, programs } from './protocol.ts';
import { eventually } from './testing/eventually.ts';
import { encode, ScriptedDaemon } from './testing/scriptedDaemon.ts';
import { domain as domainCodec } from './types.ts';

const hostname = procedure('connectGetHostname', nothing, struct({ hostname: string }));
const domain = { name: 'd', uuid: '01234567-89ab-cdef-0123-456789abcdef', id: 1 };
const open = (daemon: ScriptedDaemon, options = {}) =>
  Connection.open({ socket: daemon.socket, keepAlive: false, ...options });

describe('calls', () => {
  it('get the reply with their serial, in whatever order replies come', async () => {
    await using daemon = await ScriptedDaemon.start((_, daemon) => {
      if (daemon.received.length < 3) return;
      for (const call of [...daemon.received].reverse()) {
        daemon.reply(call, struct({ hostname: string }), { hostname: `host ${call.serial}` });
      }
    });
    const connection = await open(daemon);
    const answers = await Promise.all([1, 2, 3].map(() => connection.call(hostname, undefined)));
    expect(answers.map((answer) => answer.hostname)).toEqual(['host 1', 'host 2', 'host 3']);
    connection.end();
  });

  it('keep one place of the daemon free, so that it still reads pings', async () => {
    await using daemon = await ScriptedDaemon.start();
    const connection = await open(daemon, { maxRequests: 5 });
    const calls = Array.from({ length: 10 }, () => connection.call(hostname, undefined));
    await eventually('four calls came', () => daemon.received.length === 4);
    daemon.reply(daemon.received[0]!, struct({ hostname: string }), { hostname: 'h' });
    await expect(calls[0]).resolves.toEqual({ hostname: 'h' });
    await eventually('the fifth call came', () => daemon.received.length === 5);
    expect(connection.inFlight).toBe(4);
    connection.end();
    expect((await Promise.allSettled(calls)).filter(({ status }) => status === 'rejected')).toHaveLength(9);
  });

  it("fail with libvirt's error", async () => {
    await using daemon = await ScriptedDaemon.start((call, daemon) =>
      daemon.fail(call, { code: 42, domain: 10, message: "Domain not found: no domain with matching name 'x'" }),
    );
    const connection = await open(daemon);
    const error = await connection.call(hostname, undefined).catch((error: unknown) => error);
    expect(error).toBeInstanceOf(LibvirtError);
    expect(error).toMatchObject({
      message: "Domain not found: no domain with matching name 'x'",
      code: 42,
      codeName: 'NO_DOMAIN',
      domain: 10,
      domainName: 'QEMU',
      level: 'error',
      procedure: 'connectGetHostname',
    });
    expect(isLibvirtError(error, 'NO_DOMAIN', 'DOM_EXIST')).toBe(true);
    expect(isLibvirtError(error, 'OPERATION_INVALID')).toBe(false);
    connection.end();
  });

  it('give up after their time or when aborted, and a late reply harms nothing', async () => {
    await using daemon = await ScriptedDaemon.start();
    const connection = await open(daemon, { maxRequests: 2 });
    const stop = new AbortController();
    await expect(connection.call(hostname, undefined, { timeoutMs: 1 })).rejects.toThrow(CallTimeoutError);
    expect(connection.inFlight).toBe(1);
    const waiting = connection.call(hostname, undefined, { signal: stop.signal });
    stop.abort(new Error('changed my mind'));
    await expect(waiting).rejects.toThrow('changed my mind');
    await expect(connection.call(hostname, undefined, { signal: stop.signal })).rejects.toThrow('changed my mind');

    const last = connection.call(hostname, undefined);
    await eventually('the first call came', () => daemon.received.length === 1);
    daemon.reply(daemon.received[0]!, struct({ hostname: string }), { hostname: 'late' });
    await eventually('the last call came', () => daemon.received.length === 2);
    daemon.reply(daemon.received[1]!, struct({ hostname: string }), { hostname: 'right' });
    await expect(last).resolves.toEqual({ hostname: 'right' });
    connection.end();
  });

  it('say which call failed when the connection is lost', async () => {
    const daemon = await ScriptedDaemon.start();
    const connection = await open(daemon);
    const call = connection.call(hostname, undefined);
    call.catch(() => {});
    await eventually('the call came', () => daemon.received.length === 1);
    await daemon[Symbol.asyncDispose]();
    await expect(call).rejects.toThrow(/connectGetHostname failed: .*libvirtd closed the connection/);
    await expect(connection.call(hostname, undefined)).rejects.toThrow(ConnectionError);
    expect(await connection.ended).toBeInstanceOf(ConnectionError);
    expect(connection.isOpen).toBe(false);
  });

  it('say where no daemon is', async () => {
    await expect(Connection.open({ socket: '/nowhere/sock' })).rejects.toThrow(
      /cannot connect to libvirtd at \/nowhere\/sock: .*ENOENT/,
    );
  });
});

describe('a daemon that breaks the protocol', () => {
  it('fails the one call whose reply cannot be read', async () => {
    await using daemon = await ScriptedDaemon.start((call, daemon) => daemon.reply(call, int, 7));
    const connection = await open(daemon);
    const failed = expect(connection.call(hostname, undefined)).rejects;
    await failed.toThrow(/the reply to connectGetHostname cannot be read: 7 items declared/);
    expect(connection.isOpen).toBe(true);
    connection.end();
  });

  it('loses the connection for a reply to no call', async () => {
    await using daemon = await ScriptedDaemon.start((_, daemon) =>
      daemon.send({ type: packetTypes.reply, serial: 99 }),
    );
    const connection = await open(daemon);
    await expect(connection.call(hostname, undefined)).rejects.toThrow(/a reply has serial 99/);
    expect((await connection.ended).cause).toBeInstanceOf(ProtocolError);
  });

  it('never hangs or crashes a call, whatever bytes it sends', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 64 }), { minLength: 1 }), async (garbage) => {
        await using daemon = await ScriptedDaemon.start((_, daemon) => {
          for (const bytes of garbage) daemon.sendRaw(bytes);
          // A length that is never filled: only silence tells, which is what keep-alive is for.
          daemon.sendRaw(Buffer.alloc(64));
        });
        const connection = await open(daemon, { keepAlive: { intervalMs: 10, count: 2 } });
        await expect(connection.call(hostname, undefined)).rejects.toThrow(ConnectionError);
      }),
      { numRuns: 30 },
    );
  });
});

describe('keep-alive', () => {
  it("answers the daemon's pings", async () => {
    await using daemon = await ScriptedDaemon.start();
    const connection = await open(daemon);
    await eventually('the ping reached us', () => {
      daemon.send({ program: programs.keepAlive, procedure: 1, type: packetTypes.event });
      return daemon.received.length > 0;
    });
    expect(daemon.received[0]).toMatchObject({ program: programs.keepAlive, procedure: 2, type: 2, serial: 0 });
    connection.end();
  });

  it('gives up a daemon that answers nothing', async () => {
    await using daemon = await ScriptedDaemon.start();
    const connection = await open(daemon, { keepAlive: { intervalMs: 20, count: 2 } });
    const call = connection.call(hostname, undefined);
    await expect(call).rejects.toThrow(/libvirtd has not responded for 60 ms/);
    const pings = daemon.received.filter(({ program }) => program === programs.keepAlive);
    expect(pings.map(({ procedure }) => procedure)).toEqual([1, 1]);
  });

  it('keeps a daemon that answers pings, however long a call takes', async () => {
    let pings = 0;
    await using daemon = await ScriptedDaemon.start((packet, daemon) => {
      if (packet.program !== programs.keepAlive) return;
      pings += 1;
      daemon.send({ program: programs.keepAlive, procedure: 2, type: packetTypes.event });
      const call = daemon.received[0]!;
      if (pings === 5) daemon.reply(call, struct({ hostname: string }), { hostname: 'slow' });
    });
    const connection = await open(daemon, { keepAlive: { intervalMs: 10, count: 2 } });
    await expect(connection.call(hostname, undefined)).resolves.toEqual({ hostname: 'slow' });
    connection.end();
  });
});

describe('events', () => {
  const lifecycle = (callback: number, event: 'started' | 'stopped') =>
    Buffer.concat([
      encode(int, callback),
      encode(domainEvents.lifecycle.payload, {
        domain,
        event,
        detail: event === 'started' ? 'booted' : 'crashed',
      }),
    ]);

  it('are delivered even when they overtake the reply to the registration', async () => {
    await using daemon = await ScriptedDaemon.start((call, daemon) => {
      if (call.procedure !== 316) return daemon.ok(call);
      daemon.send({ procedure: 318, type: packetTypes.event }, lifecycle(5, 'started'));
      daemon.reply(call, int, 5);
      daemon.send({ procedure: 318, type: packetTypes.event }, lifecycle(5, 'stopped'));
      daemon.send({ procedure: 318, type: packetTypes.event }, lifecycle(6, 'stopped'));
      return undefined;
    });
    const connection = await open(daemon);
    const events: string[] = [];
    const subscription = await connection.subscribe('lifecycle', (event) => {
      events.push(`${event.domain.name} ${event.event} ${event.detail}`);
    });
    await eventually('both events came', () => events.length === 2);
    expect(events).toEqual(['d started booted', 'd stopped crashed']);

    await subscription.cancel();
    await subscription.cancel();
    expect(daemon.received.map((packet) => packet.procedure)).toEqual([316, 317]);
    connection.end();
  });

  it('that cannot be read end the connection', async () => {
    await using daemon = await ScriptedDaemon.start((call, daemon) => {
      daemon.reply(call, int, 5);
      daemon.send({ procedure: 318, type: packetTypes.event }, Buffer.alloc(4));
    });
    const connection = await open(daemon);
    await connection.subscribe('lifecycle', () => {});
    await expect(connection.ended.then((error) => error.message)).resolves.toMatch(/bytes expected/);
  });

  it('ask for one domain when told to', async () => {
    await using daemon = await ScriptedDaemon.start((call, daemon) => daemon.reply(call, int, 1));
    const connection = await open(daemon);
    await connection.subscribe('trayChange', () => {}, { domain });
    const asked = Buffer.concat([encode(int, 10), encode(int, 1), encode(domainCodec, domain)]);
    expect(daemon.received[0]?.payload).toEqual(asked);
    connection.end();
  });
});

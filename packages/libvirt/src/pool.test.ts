import { afterEach, expect, it } from 'vitest';
import { array, int, nothing, string, struct } from './codec.ts';
import { ConnectionError } from './errors.ts';
import type { Packet } from './packet.ts';
import { ConnectionPool } from './pool.ts';
import { procedure } from './protocol.ts';
import { eventually } from './testing/eventually.ts';
import { ScriptedDaemon } from './testing/scriptedDaemon.ts';

const hostname = procedure('connectGetHostname', nothing, struct({ hostname: string }));
let daemon: ScriptedDaemon;
let pool: ConnectionPool;

/** A daemon that lets everybody in, and answers `hostname` when the test says so. */
async function start(options: { maxConnections?: number; idleMs?: number }): Promise<void> {
  daemon = await ScriptedDaemon.start((packet, daemon) => {
    if (packet.procedure === 66) daemon.reply(packet, array(int, 9), []);
    else if (packet.procedure !== 59) daemon.reply(packet, nothing, undefined);
  });
  pool = new ConnectionPool({ socket: daemon.socket, keepAlive: false }, options);
}

const calls = (): Packet[] => daemon.received.filter((packet) => packet.procedure === 59);
const answer = (packet: Packet | undefined): void =>
  daemon.reply(packet!, struct({ hostname: string }), { hostname: 'h' });

afterEach(async () => {
  await pool.close();
  await daemon[Symbol.asyncDispose]();
});

it('gives each call a connection of its own, and uses connections again', async () => {
  await start({ maxConnections: 2 });
  const first = [1, 2, 3].map(() => pool.call(hostname, undefined));
  await eventually('two calls came', () => calls().length === 2);
  expect(pool.size).toBe(2);
  answer(calls()[0]);
  await eventually('the third call came', () => calls().length === 3);
  answer(calls()[1]);
  answer(calls()[2]);
  await Promise.all(first);
  expect(pool.size).toBe(2);
});

it('closes connections that nothing uses', async () => {
  await start({ idleMs: 1 });
  const call = pool.call(hostname, undefined);
  await eventually('the call came', () => calls().length === 1);
  answer(calls()[0]);
  await call;
  await eventually('the connection is closed', () => pool.size === 0);
});

it('does not use a connection again whose call was given up', async () => {
  await start({ maxConnections: 1 });
  await expect(pool.call(hostname, undefined, { timeoutMs: 200 })).rejects.toThrow(/no reply to .* within/);
  const next = pool.call(hostname, undefined);
  await eventually('the next call came', () => calls().length === 2);
  answer(calls()[1]);
  await expect(next).resolves.toEqual({ hostname: 'h' });
});

it('lets go of those who wait, when they give up or it is closed', async () => {
  await start({ maxConnections: 1 });
  const stop = new AbortController();
  const [running, aborted, waiting] = [undefined, stop.signal, undefined].map((signal) => {
    const call = pool.call(hostname, undefined, { signal });
    call.catch(() => {});
    return call;
  });
  await eventually('the first call came', () => calls().length === 1);
  stop.abort(new Error('changed my mind'));
  await expect(aborted).rejects.toThrow('changed my mind');
  await pool.close();
  await expect(running).rejects.toThrow(ConnectionError);
  await expect(waiting).rejects.toThrow(/the client was closed/);
  await expect(pool.call(hostname, undefined)).rejects.toThrow(/the client was closed/);
});

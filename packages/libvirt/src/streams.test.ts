import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { nothing, struct } from './codec.ts';
import { Connection } from './connection.ts';
import { packetStatuses, packetTypes } from './packet.ts';
import { procedure } from './protocol.ts';
import type { LibvirtStream } from './streams.ts';
import { eventually } from './testing/eventually.ts';
import { ScriptedDaemon } from './testing/scriptedDaemon.ts';
import { domain as domainCodec } from './types.ts';

const openConsole = procedure('domainOpenConsole', struct({ domain: domainCodec }), nothing);
const domain = { name: 'd', uuid: '01234567-89ab-cdef-0123-456789abcdef', id: 1 };
const { stream: streamType } = packetTypes;

let daemon: ScriptedDaemon;
let connection: Connection;

/** A stream whose daemon does what the test says, and confirms its end. */
async function openStream(): Promise<LibvirtStream> {
  daemon = await ScriptedDaemon.start((packet, daemon) => {
    if (packet.type === packetTypes.call) daemon.ok(packet);
    else if (packet.status === packetStatuses.ok) daemon.send({ ...packet, status: packetStatuses.ok });
  });
  connection = await Connection.open({ socket: daemon.socket, keepAlive: false });
  return (await connection.openStream(openConsole, { domain })).stream;
}

const fromDaemon = (data: string | Buffer) =>
  daemon.send({ procedure: 201, type: streamType, serial: 1, status: packetStatuses.continue }, Buffer.from(data));

const sentStatuses = () => daemon.received.filter(({ type }) => type === streamType).map(({ status }) => status);

afterEach(async () => {
  connection.end();
  await daemon[Symbol.asyncDispose]();
});

it('carries bytes both ways and ends when the daemon says so', async () => {
  const stream = await openStream();
  stream.write('to the guest');
  fromDaemon('from ');
  fromDaemon('the guest');
  fromDaemon('');
  let text = '';
  stream.on('data', (data) => {
    text += data;
  });
  await once(stream, 'close');
  expect(text).toBe('from the guest');
  expect(daemon.received[1]).toMatchObject({ procedure: 201, type: streamType, serial: 1, status: 2 });
  expect(daemon.received[1]?.payload.toString()).toBe('to the guest');
  expect(sentStatuses()).toEqual([packetStatuses.continue, packetStatuses.ok]);
});

it('is closed in order by its end', async () => {
  const stream = await openStream();
  stream.resume();
  stream.end('last words');
  await once(stream, 'close');
  expect(sentStatuses()).toEqual([packetStatuses.continue, packetStatuses.ok]);
  expect(stream.errored).toBeNull();
});

it('is aborted when it is destroyed, and what still comes is dropped', async () => {
  const stream = await openStream();
  stream.destroy();
  await eventually('the abort came', () => sentStatuses().includes(packetStatuses.error));
  fromDaemon('too late');
  expect(connection.isOpen).toBe(true);
});

it('cuts large writes into packets that every version takes', async () => {
  const stream = await openStream();
  const data = Buffer.alloc(1_000_000, 'abcdefg');
  await new Promise((resolve) => stream.write(data, resolve));
  await eventually('everything came', () => {
    const bytes = daemon.received.slice(1).reduce((sum, { payload }) => sum + payload.length, 0);
    return bytes === data.length;
  });
  expect(Buffer.concat(daemon.received.slice(1).map(({ payload }) => payload))).toEqual(data);
  expect(Math.max(...daemon.received.map(({ payload }) => payload.length))).toBeLessThanOrEqual(262_120);
  stream.destroy();
});

it('holds the daemon back while nobody reads', async () => {
  const stream = await openStream();
  const piece = Buffer.alloc(256 * 1024, 'x');
  for (let sent = 0; sent < 100; sent += 1) fromDaemon(piece);
  fromDaemon('');
  await eventually('the first data is there', () => stream.readableLength > 0);
  expect(stream.readableLength).toBeLessThan(10 * piece.length);
  expect(daemon.heldBack).toBeGreaterThan(10 * piece.length);
  let bytes = 0;
  for await (const data of stream as AsyncIterable<Buffer>) bytes += data.length;
  expect(bytes).toBe(100 * piece.length);
});

it("fails with libvirt's error", async () => {
  const stream = await openStream();
  const failed = once(stream, 'error');
  const header = { program: 0x2000_8086, version: 1, procedure: 201, serial: 1, status: 1, type: streamType };
  daemon.fail(header, { code: 39, domain: 38, message: 'stream had I/O failure' }, streamType);
  const [error] = await failed;
  expect(error).toMatchObject({ message: 'stream had I/O failure', codeName: 'RPC', domainName: 'STREAMS' });
  expect(sentStatuses()).toEqual([]);
});

it('fails when the connection is lost', async () => {
  const stream = await openStream();
  const failed = once(stream, 'error');
  connection.end('the test is over');
  expect((await failed)[0].message).toContain('the test is over');
});

it('does not exist when the call fails', async () => {
  daemon = await ScriptedDaemon.start((call, daemon) =>
    daemon.fail(call, { code: 9, domain: 10, message: 'Active console session exists for this domain' }),
  );
  connection = await Connection.open({ socket: daemon.socket, keepAlive: false });
  const opening = connection.openStream(openConsole, { domain });
  await expect(opening).rejects.toMatchObject({ codeName: 'OPERATION_FAILED' });
});

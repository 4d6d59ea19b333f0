import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Duplex } from 'node:stream';
import { createServer as createTlsServer } from 'node:tls';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { dialRaw, type RawAddress } from './carrier.ts';
import { openVsock, vsockAddress, withTls } from './vsock.ts';

let directory: string;
beforeAll(async () => {
  directory = await mkdtemp('/tmp/vireo-vsock-');
});
afterAll(() => rm(directory, { recursive: true, force: true }));

/** What carries bytes to vsock ports carries them to unix sockets just as well, and those are everywhere. */
const AF_UNIX = 1;
const unixAddress = (path: string): RawAddress => {
  const family = Buffer.alloc(2);
  family.writeUInt16LE(AF_UNIX, 0);
  return { family: AF_UNIX, bytes: Buffer.concat([family, Buffer.from(`${path}\0`)]) };
};

async function listen(name: string, server: Server): Promise<RawAddress> {
  const path = join(directory, name);
  server.listen(path);
  await once(server, 'listening');
  return unixAddress(path);
}
async function read(stream: Duplex): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}

describe('a connection that a process carries', () => {
  it('has all bytes of both directions, and ends with the other side', async () => {
    const large = Buffer.alloc(3_000_000, 'x');
    const received: Buffer[] = [];
    const server = createServer((socket) => {
      socket.write(large);
      socket.on('data', (chunk) => {
        received.push(chunk);
        if (Buffer.concat(received).length === large.length) socket.end('done');
      });
    });
    const stream = await dialRaw(await listen('large', server));
    stream.write(large);
    const all = await read(stream);
    expect(all.length).toBe(large.length + 'done'.length);
    expect(all.subarray(-4).toString()).toBe('done');
    server.close();
  });

  it('keeps what comes before somebody listens', async () => {
    const server = createServer((socket) => socket.end('hello'));
    const stream = await dialRaw(await listen('early', server));
    expect((await read(stream)).toString()).toBe('hello');
    server.close();
  });

  it('closes the other side when it is destroyed', async () => {
    const { promise, resolve } = Promise.withResolvers<Socket>();
    const server = createServer((socket) => resolve(socket));
    const stream = await dialRaw(await listen('closed', server));
    const socket = await promise;
    socket.on('error', () => {}).resume();
    stream.destroy();
    await once(socket, 'close');
    server.close();
  });

  it('fails with the reason where nobody listens', async () => {
    await expect(dialRaw(unixAddress(join(directory, 'nobody')))).rejects.toThrow(
      'cannot reach the guest: No such file or directory',
    );
    await expect(dialRaw(unixAddress('/x'), '/no/perl')).rejects.toThrow(
      'cannot reach the guest: spawn /no/perl ENOENT',
    );
  });

  it('is encrypted where that is asked for, whoever has signed the certificate', async () => {
    const [key, cert] = [join(directory, 'key.pem'), join(directory, 'cert.pem')];
    const words = `req -x509 -newkey rsa:2048 -nodes -keyout ${key} -out ${cert} -subj /CN=guest -days 1`;
    await promisify(execFile)('openssl', words.split(' '));
    const options = { key: await readFile(key), cert: await readFile(cert) };
    const server = createTlsServer(options, (socket) => socket.end(`by ${socket.getProtocol()}`));
    const secure = await withTls(await dialRaw(await listen('tls', server)));
    expect((await read(secure)).toString()).toBe('by TLSv1.3');
    server.close();
    const plain = createServer((socket) => socket.end('no TLS here'));
    const stream = await dialRaw(await listen('plain', plain));
    await expect(withTls(stream)).rejects.toThrow('cannot reach the guest over TLS');
    plain.close();
  });
});

it('a vsock port has the address that the kernel reads', () => {
  const { family, bytes } = vsockAddress(0x01020304, 1024);
  expect([family, bytes.toString('hex')]).toEqual([40, '28000000000400000403020100000000']);
});

it('a VMI of an older version has no context ID, which its stream says', async () => {
  await expect(openVsock(vmiIn('Running'), 1024, false)).rejects.toThrow('restart the VM to give it one');
});

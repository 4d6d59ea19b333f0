import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { connect, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { Doubles } from './doubles.ts';
import { lookAtHost } from './scene.ts';
import { Wire } from './wire.ts';

let home: string;
const children: ChildProcess[] = [];

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-faults-'));
});
afterAll(async () => {
  for (const child of children) child.kill('SIGKILL');
  await rm(home, { recursive: true, force: true });
});

/** A process that looks like one of the home. */
async function pretend(argv0: string, ...words: string[]): Promise<number> {
  const child = spawn(process.execPath, ['-e', 'console.log(1); setInterval(() => {}, 1e6)', '--', home, ...words], {
    argv0,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  children.push(child);
  await once(child.stdout!, 'data');
  return child.pid ?? 0;
}

it('sees two guests of one VM, and not two of two', async () => {
  const doubles = new Doubles(home);
  doubles.start();
  await pretend('qemu-system-fake', '-name', 'guest=storm_a,debug-threads=on');
  await pretend('qemu-system-fake', '-name', 'guest=storm_b,debug-threads=on');
  await vi.waitFor(async () => expect((await lookAtHost(home, 0)).guests).toHaveLength(2));
  expect(doubles.problems()).toEqual([]);
  await pretend('qemu-system-fake', '-name', 'guest=storm_a,debug-threads=on');
  await vi.waitFor(() => expect(doubles.problems()).toEqual(['storm_a had two guests at once']), { timeout: 20_000 });
  await doubles.stop();
}, 60_000);

it('sees processes and files of the home that are none of the server and of libvirtd', async () => {
  const pid = await pretend('qemu-img', 'convert');
  const server = await pretend('node');
  for (const path of ['machines/uid-1', 'volumes/pv-1', 'snapshots/content-1'])
    await mkdir(join(home, path), { recursive: true });
  const { strays, files, disks, kept } = await lookAtHost(home, server);
  expect(strays.map((stray) => stray.split(' ')[0])).toEqual([String(pid)]);
  expect([files, disks, kept]).toEqual([['uid-1'], ['pv-1'], ['content-1']]);
});

it('cuts connections in the middle, and lets new ones through', async () => {
  const server = createServer((socket) => socket.on('error', () => {}).write('hello'));
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const wire = new Wire();
  await wire.lead((server.address() as AddressInfo).port);
  for (let time = 0; time < 2; time++) {
    const client = connect(wire.port, '127.0.0.1');
    const errors: Error[] = [];
    client.on('error', (error) => errors.push(error));
    expect(String((await once(client, 'data'))[0])).toBe('hello');
    const closed = new Promise((resolve) => client.once('close', resolve));
    expect(wire.cut()).toBe(1);
    await closed;
    expect(errors.map(({ message }) => message)).toEqual(['read ECONNRESET']);
  }
  await wire.close();
  server.close();
});

import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useMachines } from '../machines/fixture.ts';
import { processesWith } from '../machines/leftovers.ts';

const run = promisify(execFile);
const MIB = 1 << 20;
const scratch = join(tmpdir(), `vireo-e2e-killed-${process.pid}`);
const gate = join(scratch, 'gate');
const { kubectl, home, server, startAgain, create } = useMachines();

let web: Server;
let url: string;
let disk: Buffer;
/** Answers that wait for their second half. */
const halves: ServerResponse[] = [];
let answers = 0;
let isSlow = true;

/** The real qemu-img, which does not begin to convert while there is a gate. */
const SLOW_QEMU_IMG = `#!/bin/sh
if [ "$1" = convert ]; then while [ -e "${gate}" ]; do sleep 0.1; done; fi
PATH="\${PATH#*:}" exec qemu-img "$@"
`;

// Before the fixture starts Vireo, which finds its programs by this path.
process.env.PATH = `${scratch}:${process.env.PATH}`;

beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  disk = Buffer.alloc(8 * MIB, 'what the disk says ');
  const raw = join(scratch, 'disk.raw');
  const qcow2 = join(scratch, 'disk.qcow2');
  await writeFile(raw, disk);
  await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', raw, qcow2]);
  await writeFile(join(scratch, 'qemu-img'), SLOW_QEMU_IMG);
  await chmod(join(scratch, 'qemu-img'), 0o755);
  const image = await readFile(qcow2);
  web = createServer((_, response) => {
    answers++;
    response.writeHead(200, { 'content-length': image.length });
    if (!isSlow) return void response.end(image);
    response.write(image.subarray(0, image.length / 2));
    halves.push(response);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}/disk.qcow2`;
}, 60_000);
afterAll(async () => {
  web?.closeAllConnections();
  web?.close();
  await rm(scratch, { recursive: true, force: true });
});

const dataVolume = (name: string): string =>
  JSON.stringify({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
    spec: { source: { http: { url } }, storage: { resources: { requests: { storage: '8Mi' } } } },
  });

/** The import is done, the disk is right, and nothing lies beside it. */
async function isWhole(name: string): Promise<void> {
  await kubectl.until(`get dv ${name} -o jsonpath={.status.phase}`, 'Succeeded');
  const { stdout } = await kubectl.run(`get pvc ${name} -o jsonpath={.spec.volumeName}`);
  const volume = join(home(), 'volumes', stdout);
  expect(await readdir(volume)).toEqual(['disk.img']);
  expect((await readFile(join(volume, 'disk.img'))).equals(disk)).toBe(true);
  expect(await helpers()).toEqual([]);
}

/** Programs that work for the home, other than Vireo and libvirtd. */
const helpers = async (): Promise<string[]> =>
  (await processesWith(join(home(), 'volumes'))).map(({ command }) => command.join(' '));

it('an import that is killed in the middle begins anew', async () => {
  await create(dataVolume('half'));
  await vi.waitFor(() => expect(halves).toHaveLength(1), { timeout: 30_000 });
  await server().kill();
  isSlow = false;
  await startAgain();
  await isWhole('half');
  expect(answers).toBe(2);
}, 120_000);

it('one that is killed while it converts goes on with what it has; its helper ends with it', async () => {
  answers = 0;
  await writeFile(gate, '');
  await create(dataVolume('converting'));
  await vi.waitFor(async () => expect(await helpers()).toContainEqual(expect.stringContaining('convert')), {
    timeout: 30_000,
  });
  await server().kill();
  await vi.waitFor(async () => expect(await helpers()).toEqual([]), { timeout: 10_000 });
  await rm(gate);
  await startAgain();
  await isWhole('converting');
  expect(answers).toBe(1);
}, 120_000);

it('one that nobody wants any more leaves nothing', async () => {
  isSlow = true;
  halves.length = 0;
  await create(dataVolume('unwanted'));
  await vi.waitFor(() => expect(halves).toHaveLength(1), { timeout: 30_000 });
  await server().kill();
  await startAgain();
  await kubectl.do('delete dv --all --timeout=60s');
  await kubectl.until('get pv,pvc,dv', 'No resources found');
  expect(await readdir(join(home(), 'volumes'))).toEqual([]);
}, 120_000);

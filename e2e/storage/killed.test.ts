import { execFile } from 'node:child_process';
import { chmod, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { useVms } from '../vms/fixture.ts';
import { processesWith } from '../vms/leftovers.ts';
import { beginUpload, sendUpload, tokenFor } from './upload.ts';

const run = promisify(execFile);
const MIB = 1 << 20;
const scratch = join(tmpdir(), `vireo-e2e-killed-${process.pid}`);
const gate = join(scratch, 'gate');
const vms = useVms();
const { kubectl, home, server, startAgain, create } = vms;

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

/** The real cp, which has copied a part and does not go on while there is a gate. */
const SLOW_CP = `#!/bin/sh
from=; to=
for word; do from=$to; to=$word; done
if [ -e "${gate}" ]; then head -c 1000000 "$from" >"$to"; fi
while [ -e "${gate}" ]; do sleep 0.1; done
PATH="\${PATH#*:}" exec cp "$@"
`;

// Before the fixture starts Vireo, which finds its programs by this path.
process.env.PATH = `${scratch}:${process.env.PATH}`;

beforeAll(async () => {
  await mkdir(scratch, { recursive: true });
  disk = Buffer.alloc(8 * MIB, 'what the disk says ');
  const raw = join(scratch, 'disk.raw');
  await writeFile(raw, disk);
  // A plain image becomes a disk while it comes in; a packed one is converted when it is there.
  const images: Record<string, Buffer> = {};
  for (const [path, more] of Object.entries({ '/plain.qcow2': [], '/packed.qcow2': ['-c'] })) {
    const image = join(scratch, path);
    await run('qemu-img', ['convert', '-f', 'raw', '-O', 'qcow2', ...more, raw, image]);
    images[path] = await readFile(image);
  }
  for (const [name, program] of Object.entries({ 'qemu-img': SLOW_QEMU_IMG, cp: SLOW_CP })) {
    await writeFile(join(scratch, name), program);
    await chmod(join(scratch, name), 0o755);
  }
  web = createServer(({ url = '' }, response) => {
    answers++;
    const image = images[url] ?? Buffer.alloc(0);
    response.writeHead(200, { 'content-length': image.length });
    if (!isSlow) return void response.end(image);
    response.write(image.subarray(0, image.length / 2));
    halves.push(response);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
}, 60_000);
afterAll(async () => {
  web?.closeAllConnections();
  web?.close();
  await rm(scratch, { recursive: true, force: true });
});

const fromWeb = (path: string): object => ({ http: { url: `${url}${path}` } });

const dataVolume = (name: string, source: object): string =>
  JSON.stringify({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name },
    spec: { source, storage: { resources: { requests: { storage: '8Mi' } } } },
  });

const snapshot = (name: string, claim: string): string =>
  JSON.stringify({
    apiVersion: 'snapshot.storage.k8s.io/v1',
    kind: 'VolumeSnapshot',
    metadata: { name },
    spec: { source: { persistentVolumeClaimName: claim } },
  });

/** The claim is filled, the disk is right, and nothing lies beside it. */
async function isWhole(name: string): Promise<void> {
  await kubectl.until(`get dv ${name} -o jsonpath={.status.phase}`, 'Succeeded');
  const volume = await volumeOf(name);
  expect(await readdir(volume)).toEqual(['disk.img']);
  expect((await readFile(join(volume, 'disk.img'))).equals(disk)).toBe(true);
  expect(await helpers()).toEqual([]);
}

/** The directory of a claim's volume. */
const volumeOf = async (claim: string): Promise<string> =>
  join(home(), 'volumes', (await kubectl.run(`get pvc ${claim} -o jsonpath={.spec.volumeName}`)).stdout);

/** Programs that work for the home, other than Vireo and libvirtd. */
const helpers = async (): Promise<string[]> =>
  (await Promise.all(['volumes', 'snapshots'].map((name) => processesWith(join(home(), name)))))
    .flat()
    .map(({ command }) => command.join(' '));

it('an import that is killed in the middle begins anew', async () => {
  await create(dataVolume('half', fromWeb('/plain.qcow2')));
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
  await create(dataVolume('converting', fromWeb('/packed.qcow2')));
  await vi.waitFor(async () => expect(await helpers()).toContainEqual(expect.stringContaining('convert')), {
    timeout: 30_000,
  });
  await server().kill();
  await vi.waitFor(async () => expect(await helpers()).toEqual([]), { timeout: 20_000 });
  await rm(gate);
  await startAgain();
  await isWhole('converting');
  expect(answers).toBe(1);
}, 120_000);

it('a copy, a snapshot and an upload that are killed begin anew; the token for the upload is still good', async () => {
  await writeFile(gate, '');
  await create(
    dataVolume('copied', { pvc: { namespace: 'default', name: 'half' } }),
    dataVolume('uploaded', { upload: {} }),
    snapshot('moment', 'half'),
  );
  await kubectl.until('get dv uploaded -o jsonpath={.status.phase}', 'UploadReady');
  const token = await tokenFor(vms, 'uploaded');
  const sending = await beginUpload(vms, token, disk.length);
  const cut = new Promise((resolve) => sending.once('error', resolve));
  sending.write(disk.subarray(0, disk.length / 2));
  await vi.waitFor(
    async () => {
      const working = await helpers();
      for (const path of ['/volumes/', '/snapshots/']) expect(working).toContainEqual(expect.stringContaining(path));
      expect(await readdir(await volumeOf('uploaded'))).toContain('.filling');
    },
    { timeout: 30_000 },
  );
  await server().kill();
  await cut;
  await vi.waitFor(async () => expect(await helpers()).toEqual([]), { timeout: 20_000 });
  await rm(gate);
  await startAgain();
  await isWhole('copied');
  await kubectl.until('get volumesnapshot moment -o jsonpath={.status.readyToUse}', 'true');
  const [kept, ...others] = await readdir(join(home(), 'snapshots'));
  expect(others).toEqual([]);
  expect((await readFile(join(home(), 'snapshots', kept ?? '', 'disk.img'))).equals(disk)).toBe(true);
  expect(await sendUpload(vms, token, disk)).toEqual({ status: 200, body: '' });
  await isWhole('uploaded');
}, 120_000);

it('one that nobody wants any more leaves nothing', async () => {
  isSlow = true;
  halves.length = 0;
  await create(dataVolume('unwanted', fromWeb('/plain.qcow2')));
  await vi.waitFor(() => expect(halves).toHaveLength(1), { timeout: 30_000 });
  await server().kill();
  await startAgain();
  await kubectl.do('delete dv,volumesnapshot --all --timeout=60s');
  await kubectl.until('get pv,pvc,dv,volumesnapshotcontents', 'No resources found');
  for (const name of ['volumes', 'snapshots']) expect(await readdir(join(home(), name))).toEqual([]);
}, 120_000);

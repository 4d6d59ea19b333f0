import { randomBytes } from 'node:crypto';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { type PersistentVolumeClaim as Claim, PersistentVolumeClaim } from '@vireo/api';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MIB, pieces, qcow2Of } from './populate/testing/images.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from './testing/cluster.ts';
import { mountSmallDisk, type SmallDisk } from './testing/smallDisk.ts';

const DATA = randomBytes(9 * MIB);
/** One MiB of data, and holes. */
const SPARSE = Buffer.concat([DATA.subarray(0, MIB), Buffer.alloc(8 * MIB)]);
const COMPRESSED = gzipSync(DATA);
const FULL = /^the node's disk is full: [\d.]+ \w+ free in \S+\/volumes$/;
const noSpace = (needed: string, directory = 'volumes'): RegExp =>
  new RegExp(`^not enough space in \\S+/${directory}: ${needed} needed, [\\d.]+ MiB free$`);
const at = { namespace: NAMESPACE };

let disk: SmallDisk | undefined;
let cluster: VolumeCluster;
let web: Server;
let url: string;

beforeAll(async () => {
  disk = await mountSmallDisk(40 * MIB);
  if (!disk) return;
  cluster = await startVolumeCluster({ root: disk.path });
  // Only who says how much is to come can be refused before.
  const packed = await qcow2Of(Buffer.alloc(9 * MIB, 'easy to pack '), disk.path, '-c');
  web = createServer((request, response) => {
    if (request.url === '/silent') response.write(DATA, () => response.end());
    else response.end(request.url === '/packed' ? packed : request.url === '/sparse' ? SPARSE : COMPRESSED);
  });
  await new Promise<void>((resolve) => web.listen(0, '127.0.0.1', resolve));
  url = `http://127.0.0.1:${(web.address() as AddressInfo).port}`;
});
afterAll(async () => {
  web?.close();
  await cluster?.close();
  await disk?.[Symbol.asyncDispose]();
});

beforeEach(async ({ skip }) => {
  if (!disk) skip('this user may not mount a file system that is small enough to be full');
  else await disk.clear();
});

const note = (claim: Claim, name: string): string => claim.metadata.annotations?.[name] ?? '';

/** A claim whose volume was made while there was room. */
async function claimWithRoom(name: string): Promise<string> {
  await cluster.claim(name);
  return (await cluster.volumeOf(name)).spec?.local?.path ?? '';
}

const annotate = (name: string, annotations: Record<string, string>): Promise<Claim> =>
  cluster.admin.of(PersistentVolumeClaim).patch(name, { metadata: { annotations } }, { ...at, type: 'merge' });

/** Waits for a failure; what is said of it comes back. */
const complaintOf = async (name: string): Promise<string> =>
  note(await cluster.claimUntil(name, (claim) => Number(note(claim, names.POD_RESTARTS)) > 0), names.RUNNING_MESSAGE);

const succeeded = (name: string): Promise<Claim> =>
  cluster.claimUntil(name, (claim) => note(claim, names.POD_PHASE) === 'Succeeded');

describe('when the disk is full', () => {
  it('an import says so, leaves nothing, and is done when there is room', async () => {
    const volume = await claimWithRoom('import');
    await disk?.leave(4 * MIB);
    await annotate('import', { [names.IMPORT_SOURCE]: 'http', [names.IMPORT_ENDPOINT]: `${url}/silent` });
    expect(await complaintOf('import')).toMatch(FULL);
    expect(await readdir(volume)).toEqual(['disk.img']);
    await disk?.clear();
    await succeeded('import');
    expect((await readFile(join(volume, 'disk.img'))).subarray(0, DATA.length).equals(DATA)).toBe(true);
  });

  it.each([
    ['packed', '/packed'],
    ['compressed', '/compressed'],
  ])('one that is %s too, before it begins', async (name, path) => {
    const volume = await claimWithRoom(name);
    await disk?.leave(4 * MIB);
    await annotate(name, { [names.IMPORT_SOURCE]: 'http', [names.IMPORT_ENDPOINT]: `${url}${path}` });
    expect(await complaintOf(name)).toMatch(noSpace('9 MiB'));
    expect(await readdir(volume)).toEqual(['disk.img']);
    await cluster.admin.of(PersistentVolumeClaim).delete(name, at);
  });

  it('a raw disk with holes that announces more than is free fits all the same', async () => {
    const volume = await claimWithRoom('sparse');
    await disk?.leave(4 * MIB);
    await annotate('sparse', { [names.IMPORT_SOURCE]: 'http', [names.IMPORT_ENDPOINT]: `${url}/sparse` });
    await succeeded('sparse');
    expect((await readFile(join(volume, 'disk.img'))).subarray(0, SPARSE.length).equals(SPARSE)).toBe(true);
    await cluster.admin.of(PersistentVolumeClaim).delete('sparse', at);
  });

  it('an import of a raw image that the node has says so before it begins', async () => {
    const volume = await claimWithRoom('kept');
    const golden = join(dirname(cluster.directory), 'images/team/golden');
    await mkdir(golden, { recursive: true });
    await writeFile(join(golden, 'disk.raw'), DATA);
    await disk?.leave(4 * MIB);
    await annotate('kept', { [names.IMPORT_SOURCE]: 'registry', [names.IMPORT_ENDPOINT]: 'docker://team/golden' });
    expect(await complaintOf('kept')).toMatch(noSpace('9 MiB'));
    expect(await readdir(volume)).toEqual(['disk.img']);
    await cluster.admin.of(PersistentVolumeClaim).delete('kept', at);
    await rm(golden, { recursive: true });
  });

  it('an upload is refused, and can be sent again', async () => {
    const volume = await claimWithRoom('upload');
    await annotate('upload', { [names.UPLOAD_TARGET]: '' });
    await cluster.claimUntil('upload', (claim) => note(claim, names.POD_READY) === 'true');
    const send = (data: Buffer, announced: { totalBytes?: number } = {}) =>
      cluster.volumes.upload({
        ...announced,
        claim: `${NAMESPACE}/upload`,
        data: pieces(data, MIB),
        isAsync: false,
        signal: new AbortController().signal,
      });
    await disk?.leave(4 * MIB);
    await expect(send(DATA)).rejects.toMatchObject({ status: 400, message: expect.stringMatching(FULL) });
    await expect(send(COMPRESSED, { totalBytes: COMPRESSED.length })).rejects.toMatchObject({
      status: 400,
      message: expect.stringMatching(noSpace('9 MiB')),
    });
    expect(await readdir(volume)).toEqual(['disk.img']);
    await disk?.clear();
    await send(DATA);
    await succeeded('upload');
    await cluster.admin.of(PersistentVolumeClaim).delete('upload', at);
  });

  it('a copy, a snapshot and a reservation say so before they begin, and leave nothing', async () => {
    const source = await claimWithRoom('source');
    await writeFile(join(source, 'disk.img'), DATA, { flag: 'r+' });
    const [copy, reserved] = [await claimWithRoom('copy'), await claimWithRoom('reserved')];
    await disk?.leave(4 * MIB);
    await annotate('copy', { [names.CLONE_REQUEST]: `${NAMESPACE}/source` });
    await annotate('reserved', { [names.IMPORT_SOURCE]: 'none', [names.PREALLOCATION_REQUESTED]: 'true' });
    const spec = { source: { persistentVolumeClaimName: 'source' } };
    await cluster.admin.of(VolumeSnapshot).create({ metadata: { name: 'moment', ...at }, spec });
    expect(await complaintOf('copy')).toMatch(noSpace('9 MiB'));
    expect(await complaintOf('reserved')).toMatch(noSpace('16 MiB'));
    const message = await until(async () => {
      const { status } = await cluster.admin.of(VolumeSnapshot).get('moment', at);
      return status?.error?.message;
    });
    expect(message).toMatch(noSpace('9 MiB', 'snapshots'));
    for (const volume of [copy, reserved]) expect(await readdir(volume)).toEqual(['disk.img']);
    // It is tried again and again.
    const kept = join(dirname(cluster.directory), 'snapshots');
    await until(async () => (await readdir(kept)).length === 0 || undefined);
  });
});

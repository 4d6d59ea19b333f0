import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { createServer, type RequestListener, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import {
  type PersistentVolumeClaim as Claim,
  ConfigMap,
  PersistentVolumeClaim,
  Secret,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { vmiIn } from '../../testing/objects.ts';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';
import { MIB, pieces, qcow2Of, sampleDisk } from './testing/images.ts';
import type { UploadRefusal } from './uploads.ts';

let cluster: VolumeCluster;
let scratch: string;
let server: Server | https.Server | undefined;
beforeAll(async () => {
  cluster = await startVolumeCluster();
  scratch = await mkdtemp(join(tmpdir(), 'vireo-populate-'));
});
afterAll(async () => {
  await cluster?.close();
  await rm(scratch, { recursive: true, force: true });
});
afterEach(() => {
  server?.closeAllConnections();
  server?.close();
  server = undefined;
});

const at = { namespace: NAMESPACE };
const note = (claim: Claim, name: string): string | undefined => claim.metadata.annotations?.[name];
const hasSucceeded = (claim: Claim): boolean => note(claim, names.POD_PHASE) === 'Succeeded';

const serve = (answer: RequestListener): Promise<string> => {
  const listening = createServer(answer);
  server = listening;
  return new Promise((resolve) => {
    listening.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${(listening.address() as AddressInfo).port}`));
  });
};

const diskOf = async (name: string): Promise<Buffer> => {
  const { spec } = await cluster.volumeOf(name);
  expect(await readdir(spec?.local?.path ?? '')).toEqual(['disk.img']);
  return readFile(join(spec?.local?.path ?? '', 'disk.img'));
};

const fromHttp = (endpoint: string, more: Record<string, string> = {}): Record<string, string> => ({
  [names.IMPORT_SOURCE]: 'http',
  [names.IMPORT_ENDPOINT]: endpoint,
  ...more,
});

describe('an import', () => {
  it('fills the claim, and says so step by step', async () => {
    const disk = sampleDisk();
    const image = await qcow2Of(disk, scratch);
    const url = await serve((_, response) => response.end(image));
    await cluster.claim('image', {}, fromHttp(`${url}/disk.qcow2`));
    const claim = await cluster.claimUntil('image', hasSucceeded);
    expect((await diskOf('image')).subarray(0, disk.length).equals(disk)).toBe(true);
    expect(claim.metadata.annotations).toMatchObject({
      [names.PROGRESS]: '100.0%',
      [names.RUNNING]: 'false',
      [names.RUNNING_REASON]: 'Completed',
      [names.POD_RESTARTS]: '0',
    });
  });

  it('makes the volume as large as its data where that is asked for', async () => {
    const disk = sampleDisk();
    const image = await qcow2Of(disk, scratch);
    const url = await serve((_, response) => response.end(image));
    const small = { resources: { requests: { storage: '1Mi' } } };
    await cluster.claim('fitted', small, fromHttp(`${url}/disk.qcow2`, { [names.FITTED]: 'true' }));
    const claim = await cluster.claimUntil('fitted', hasSucceeded);
    expect(claim.status?.capacity).toEqual({ storage: `${disk.length / MIB}Mi` });
    expect((await cluster.volumeOf('fitted')).spec?.capacity).toEqual(claim.status?.capacity);
    expect(note(claim, names.DISK_BYTES)).toBe(String(disk.length));
    expect(Number(note(claim, names.ALLOCATED_BYTES))).toBeGreaterThan(0);
    expect((await diskOf('fitted')).equals(disk)).toBe(true);
  });

  it('of a raw disk is fitted to whole MiB', async () => {
    const url = await serve((_, response) => response.end(Buffer.alloc(MIB + 1, 7)));
    await cluster.claim(
      'odd',
      { resources: { requests: { storage: '1Mi' } } },
      fromHttp(url, { [names.FITTED]: 'true' }),
    );
    const claim = await cluster.claimUntil('odd', hasSucceeded);
    expect(claim.status?.capacity).toEqual({ storage: '2Mi' });
    expect((await diskOf('odd')).length).toBe(2 * MIB);
  });

  it('sends what it was told to send', async () => {
    await cluster.admin.of(Secret).create({
      metadata: { name: 'login', ...at },
      stringData: { accessKeyId: 'me', secretKey: 'word' },
    });
    await cluster.admin.of(Secret).create({ metadata: { name: 'extra', ...at }, stringData: { a: 'X-Hidden: yes' } });
    await cluster.admin.of(ConfigMap).create({ metadata: { name: 'roots', ...at }, data: { 'ca.pem': '' } });
    const url = await serve((request, response) => {
      const { authorization, 'x-hidden': hidden, 'x-open': open } = request.headers;
      response.end(Buffer.from(JSON.stringify({ authorization, hidden, open })));
    });
    const headers = { [`${names.IMPORT_HEADERS}.0`]: 'X-Open: 1', [`${names.IMPORT_SECRET_HEADERS}.0`]: 'extra' };
    const trust = { [names.IMPORT_SECRET]: 'login', [names.IMPORT_CERTIFICATES]: 'roots' };
    await cluster.claim('told', {}, fromHttp(url, { ...headers, ...trust }));
    await cluster.claimUntil('told', hasSucceeded);
    const sent = { authorization: `Basic ${Buffer.from('me:word').toString('base64')}`, hidden: 'yes', open: '1' };
    expect((await diskOf('told')).toString().replace(/\0+$/, '')).toBe(JSON.stringify(sent));
  });

  it('trusts the certificates of a ConfigMap, and of no server without', async () => {
    const [cert, key, ca = ''] = await Promise.all(
      ['apiserver.crt', 'apiserver.key', 'ca.crt'].map((name) =>
        readFile(join(cluster.server.home, 'pki', name), 'utf8'),
      ),
    );
    const disk = sampleDisk();
    const listening = https.createServer({ cert, key }, (_, response) => response.end(disk));
    server = listening;
    await new Promise<void>((resolve) => listening.listen(0, '127.0.0.1', resolve));
    const url = `https://127.0.0.1:${(listening.address() as AddressInfo).port}/disk.img`;
    await cluster.admin.of(ConfigMap).create({ metadata: { name: 'company', ...at }, data: { 'ca.pem': ca } });
    await cluster.claim('trusted', {}, fromHttp(url, { [names.IMPORT_CERTIFICATES]: 'company' }));
    await cluster.claim('untrusted', {}, fromHttp(url));
    await cluster.claimUntil('trusted', hasSucceeded);
    expect((await diskOf('trusted')).subarray(0, disk.length).equals(disk)).toBe(true);
    const refused = await cluster.claimUntil('untrusted', (claim) => Number(note(claim, names.POD_RESTARTS)) > 0);
    expect(note(refused, names.RUNNING_MESSAGE)).toBe(
      `${url}: unable to verify the first certificate; set certConfigMap to a ConfigMap with its CA`,
    );
    await cluster.admin.of(PersistentVolumeClaim).delete('untrusted', at);
  });

  it('that breaks off goes on; one whose server is gone says why, counts, and tries again', async () => {
    const disk = sampleDisk();
    let isUp = false;
    const url = await serve((request, response) => {
      if (!isUp) {
        response.writeHead(500).end();
        return;
      }
      const from = Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0);
      const headers = { etag: '"1"', 'content-length': disk.length - from };
      response.writeHead(from ? 206 : 200, { ...headers, 'content-range': `bytes ${from}-${disk.length - 1}/*` });
      if (from) response.end(disk.subarray(from));
      else response.write(disk.subarray(0, MIB), () => response.destroy());
    });
    await cluster.claim('shaky', {}, fromHttp(url));
    const failed = await cluster.claimUntil('shaky', (claim) => note(claim, names.POD_RESTARTS) === '1');
    expect(note(failed, names.RUNNING_REASON)).toBe('Error');
    expect(note(failed, names.RUNNING_MESSAGE)).toMatch(/answered 500 Internal Server Error/);
    isUp = true;
    await cluster.claimUntil('shaky', hasSucceeded);
    expect((await diskOf('shaky')).subarray(0, disk.length).equals(disk)).toBe(true);
  }, 60_000);

  it.each<[string, Record<string, string>, RegExp]>([
    ['wrong-sum', { [names.IMPORT_CHECKSUM]: `md5:${'0'.repeat(32)}` }, /the checksum is md5:\w{32}, but md5:0{32}/],
    ['no-sum', { [names.IMPORT_CHECKSUM]: 'crc:1' }, /expected md5, sha1, sha256 or sha512/],
    ['no-kind', { [names.IMPORT_SOURCE]: 'vddk' }, /"vddk" is not a supported source/],
  ])('%s fails for good', async (name, annotations, message) => {
    const url = await serve((_, response) => response.end('data'));
    await cluster.claim(name, {}, fromHttp(url, annotations));
    const claim = await cluster.claimUntil(name, (each) => note(each, names.IMPORT_FATAL) === 'true');
    expect(note(claim, names.POD_PHASE)).toBe('Failed');
    expect(note(claim, names.RUNNING_MESSAGE)).toMatch(message);
  });

  it('stops when its claim goes', async () => {
    let isOpen = false;
    const url = await serve((request, response) => {
      isOpen = true;
      request.once('close', () => {
        isOpen = false;
      });
      response.write('a beginning');
    });
    await cluster.claim('unwanted', {}, fromHttp(url));
    await until(async () => isOpen || undefined);
    const { spec } = await cluster.volumeOf('unwanted');
    await cluster.admin.of(PersistentVolumeClaim).delete('unwanted', at);
    await until(async () => !isOpen || undefined);
    await until(async () => (await stat(spec?.local?.path ?? '').catch(() => undefined)) === undefined || undefined);
  });
});

describe('an upload', () => {
  const target = { [names.UPLOAD_TARGET]: '' };
  const signal = new AbortController().signal;
  const send = (claim: string, data: Buffer, isAsync = false) =>
    cluster.volumes.upload({ claim: `${NAMESPACE}/${claim}`, data: pieces(data), isAsync, signal });

  it.each([
    ['sync', false],
    ['async', true],
  ])('%s: is announced, taken once, and reported', async (name, isAsync) => {
    const disk = sampleDisk();
    await cluster.claim(name, {}, target);
    await cluster.claimUntil(name, (claim) => note(claim, names.POD_READY) === 'true');
    await send(name, await qcow2Of(disk, scratch), isAsync);
    const claim = await cluster.claimUntil(name, hasSucceeded);
    expect(note(claim, names.POD_READY)).toBe('false');
    expect((await diskOf(name)).subarray(0, disk.length).equals(disk)).toBe(true);
    await until(() =>
      send(name, disk).then(
        () => undefined,
        (error: UploadRefusal) => (error.status === 503 && /is already populated/.test(error.message)) || undefined,
      ),
    );
  });

  it('waits a moment for a claim that is about to be ready, on a class that waits too', async () => {
    await cluster.claim('early', { storageClassName: 'local-wait' }, { ...target, [names.BIND_IMMEDIATE]: '' });
    await until(() =>
      send('early', sampleDisk()).then(
        () => true as const,
        () => undefined,
      ),
    );
    await cluster.claimUntil('early', hasSucceeded);
  });

  it('that is refused may be sent again', async () => {
    await cluster.claim('again', {}, target);
    await cluster.claimUntil('again', (claim) => note(claim, names.POD_READY) === 'true');
    await expect(send('again', Buffer.alloc(17 * MIB, 1))).rejects.toMatchObject({ status: 400 });
    const claim = await cluster.claimUntil('again', (each) => note(each, names.POD_RESTARTS) === '1');
    expect(note(claim, names.RUNNING_MESSAGE)).toMatch(/larger than the 16 MiB of the claim/);
    await send('again', sampleDisk());
    await cluster.claimUntil('again', hasSucceeded);
  });

  it('that is cut off, as by the death of who hands it on, may be sent again', async () => {
    await cluster.claim('cut', {}, target);
    await cluster.claimUntil('cut', (claim) => note(claim, names.POD_READY) === 'true');
    const closed = new AbortController();
    const data = new PassThrough();
    data.write(sampleDisk().subarray(0, 4096));
    const sending = { claim: `${NAMESPACE}/cut`, data, isAsync: false, signal: closed.signal };
    const refused = expect(cluster.volumes.upload(sending)).rejects.toMatchObject({
      status: 503,
      message: expect.stringContaining('send the data again'),
    });
    await until(async () => data.readableLength === 0 || undefined);
    // As the request of a connection that ends.
    closed.abort();
    data.destroy(new Error('aborted'));
    await refused;
    await send('cut', sampleDisk());
    await cluster.claimUntil('cut', hasSucceeded);
  });

  it('is reported when the server takes it, where webhooks do not answer at that moment', async () => {
    await cluster.claim('unheard', {}, target);
    await cluster.claimUntil('unheard', (claim) => note(claim, names.POD_READY) === 'true');
    const hooks = cluster.admin.of(ValidatingWebhookConfiguration);
    await hooks.create({
      metadata: { name: 'dead' },
      webhooks: [
        {
          name: 'dead.example.com',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { url: 'https://127.0.0.1:9/' },
          rules: [
            { apiGroups: [''], apiVersions: ['v1'], operations: ['UPDATE'], resources: ['persistentvolumeclaims'] },
          ],
        },
      ],
    });
    const isRefused = (): boolean =>
      cluster.log.entries.some(({ message }) => message === 'that an upload is complete could not be written');
    try {
      await send('unheard', sampleDisk(), true);
      await until(async () => isRefused() || undefined);
    } finally {
      await hooks.delete('dead');
    }
    await cluster.claimUntil('unheard', hasSucceeded);
  });

  it('that the node cannot write says what to do, and names no file of the host', async () => {
    await cluster.claim('gone', {}, target);
    await cluster.claimUntil('gone', (claim) => note(claim, names.POD_READY) === 'true');
    await rm((await cluster.volumeOf('gone')).spec?.local?.path ?? '', { recursive: true });
    const message = `node ${NODE} could not write the data (ENOENT): see its log, then send it again`;
    const data = Readable.from([sampleDisk()], { objectMode: false });
    const sending = { claim: `${NAMESPACE}/gone`, data, isAsync: false, signal };
    await expect(cluster.volumes.upload(sending)).rejects.toMatchObject({ status: 503, message });
    // The rest can pass, so that the answer is read.
    expect(data.listenerCount('data')).toBe(0);
    const claim = await cluster.claimUntil('gone', (each) => note(each, names.POD_RESTARTS) === '1');
    expect(note(claim, names.RUNNING_MESSAGE)).toBe(message);
  });

  it('that breaks off after its claim has gone says nothing of the next claim of that name', async () => {
    const isReady = (claim: Claim): boolean => note(claim, names.POD_READY) === 'true';
    const { metadata: first } = await cluster.claim('renewed', {}, target);
    await cluster.claimUntil('renewed', isReady);
    const { promise: broken, reject: breakOff } = Promise.withResolvers<never>();
    async function* data(): AsyncGenerator<Buffer> {
      yield Buffer.from('a beginning');
      await broken;
    }
    const sending = { claim: `${NAMESPACE}/renewed`, data: data(), isAsync: false, signal };
    const sent = expect(cluster.volumes.upload(sending)).rejects.toMatchObject({ status: 503 });
    await cluster.admin.of(PersistentVolumeClaim).delete('renewed', at);
    await until(() =>
      cluster.claim('renewed', {}, target).then(
        () => true as const,
        () => undefined,
      ),
    );
    await cluster.claimUntil('renewed', isReady);
    breakOff(new Error('the sender has gone'));
    await sent;
    const { metadata } = await cluster.admin.of(PersistentVolumeClaim).get('renewed', at);
    expect(metadata.uid).not.toBe(first.uid);
    expect(metadata.annotations).toMatchObject({ [names.POD_RESTARTS]: '0', [names.RUNNING]: 'true' });
  });

  it.each([
    ['missing', /does not exist/],
    ['image', /is not an upload target/],
  ])('to %s is refused', async (name, message) => {
    const error = await send(name, Buffer.from('x')).catch((cause: UploadRefusal) => cause);
    expect(error).toMatchObject({ status: 503, message: expect.stringMatching(message) });
  });
});

describe('a copy', () => {
  it('is made of a claim that is there and filled', async () => {
    await cluster.claim('copied', {}, { [names.CLONE_REQUEST]: `${NAMESPACE}/image` });
    await cluster.claimUntil('copied', hasSucceeded);
    expect((await diskOf('copied')).equals(await diskOf('image'))).toBe(true);
  });

  it('waits for its source, and says so', async () => {
    await cluster.claim('second', {}, { [names.CLONE_REQUEST]: `${NAMESPACE}/first` });
    const claim = await cluster.claimUntil('second', (each) => note(each, names.RUNNING) === 'false');
    expect(note(claim, names.RUNNING_MESSAGE)).toMatch(/source PersistentVolumeClaim shop\/first does not exist/);
    await cluster.claim('first');
    await cluster.claimUntil('second', hasSucceeded);
  }, 30_000);

  it('of a disk that has vanished says which', async () => {
    await cluster.claim('vanished');
    const path = join((await cluster.volumeOf('vanished')).spec?.local?.path ?? '', 'disk.img');
    await rm(path);
    await cluster.claim('of-vanished', {}, { [names.CLONE_REQUEST]: `${NAMESPACE}/vanished` });
    const failed = await cluster.claimUntil('of-vanished', (claim) => Number(note(claim, names.POD_RESTARTS)) > 0);
    expect(note(failed, names.RUNNING_MESSAGE)).toBe(`cp: cannot stat '${path}': No such file or directory`);
    const { spec } = await cluster.volumeOf('of-vanished');
    expect(await readdir(spec?.local?.path ?? '')).toEqual(['disk.img']);
  });

  it('of another namespace needs somebody with the right to it', async () => {
    await cluster.claim('stolen', {}, { [names.CLONE_REQUEST]: 'kube-system/secrets' });
    const claim = await cluster.claimUntil('stolen', (each) => note(each, names.IMPORT_FATAL) === 'true');
    expect(note(claim, names.RUNNING_MESSAGE)).toMatch(/not allowed to read kube-system\/secrets/);
  });
});

it('a VM does not get a disk that is not filled', async () => {
  await cluster.claim('unfilled', {}, { [names.UPLOAD_TARGET]: '' });
  await cluster.claimUntil('unfilled', (claim) => note(claim, names.POD_READY) === 'true');
  const asked = cluster.volumes.claimDisk(vmiIn('Scheduling', at), 'unfilled', {
    isReadOnly: false,
    isShareable: false,
  });
  await expect(asked).rejects.toThrow('PersistentVolumeClaim shop/unfilled is not populated yet');
});

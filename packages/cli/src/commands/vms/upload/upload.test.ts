import { createHash, randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type ScriptedServer, startScriptedServer } from '../../../testing/scriptedServer.ts';
import { runVireo } from '../../../testing/vireoProcess.ts';
import { readUpload, type UploadOptions } from './arguments.ts';

const options = { waitSecs: 300, retry: 5 };

describe('what is uploaded where', () => {
  it.each<[string | undefined, string | undefined, Partial<UploadOptions>, object]>([
    [
      'dv',
      'disk',
      { imagePath: 'a', size: '1Gi' },
      { resource: 'dv', name: 'disk', file: 'a', isArchive: false, size: '1Gi' },
    ],
    ['PVC', 'disk', { archivePath: 'a', create: false }, { resource: 'pvc', isArchive: true, mayCreate: false }],
    [
      undefined,
      undefined,
      { imagePath: 'a', pvcName: 'old', pvcSize: '1Gi' },
      { resource: 'pvc', name: 'old', size: '1Gi' },
    ],
    ['dv', 'disk', { imagePath: 'a', blockVolume: true }, { volumeMode: 'block' }],
    [
      'dv',
      'disk',
      { imagePath: 'a', defaultPreference: 'fedora' },
      { labels: { 'instancetype.kubevirt.io/default-preference': 'fedora' } },
    ],
  ])('%s %s %j', (type, name, given, expected) => {
    expect(readUpload(type, name, { ...options, ...given })).toMatchObject(expected);
  });

  it.each<[string | undefined, string | undefined, Partial<UploadOptions>, string]>([
    ['dv', 'disk', {}, 'either image-path or archive-path must be provided'],
    ['dv', 'disk', { imagePath: 'a', archivePath: 'b' }, 'cannot handle both image-path and archive-path'],
    ['dv', undefined, { imagePath: 'a' }, 'expecting two args'],
    ['pod', 'disk', { imagePath: 'a' }, 'invalid resource type pod'],
    ['dv', 'disk', { imagePath: 'a', pvcName: 'b' }, 'cannot use --pvc-name and args'],
    ['dv', 'disk', { imagePath: 'a', size: 'big' }, 'validation failed for size=big'],
    ['dv', 'disk', { imagePath: 'a', size: '1Gi', pvcSize: '2Gi' }, '--pvc-size and --size can not be specified'],
    ['dv', 'disk', { imagePath: 'a', volumeMode: 'x' }, "Invalid volume mode 'x'"],
    [
      'dv',
      'disk',
      { archivePath: 'a', volumeMode: 'block' },
      'In archive upload the volume mode should always be filesystem',
    ],
    ['dv', 'disk', { imagePath: 'a', accessMode: 'ReadOnlyMany' }, 'cannot upload to a readonly volume'],
    ['dv', 'disk', { imagePath: 'a', defaultPreferenceKind: 'x' }, '--default-preference must be provided'],
    ['dv', 'disk', { imagePath: 'a', defaultPreference: 'x', create: false }, 'cannot be used with --no-create'],
  ])('%s %s %j is refused', (type, name, given, message) => {
    expect(() => readUpload(type, name, { ...options, ...given })).toThrow(message);
  });
});

describe('image-upload', () => {
  const image = randomBytes(3 * 1024 * 1024 + 17);
  const digest = createHash('sha256').update(image).digest('hex');
  let directory: string;
  let file: string;
  let proxy: Server;
  let server: ScriptedServer | undefined;
  /** What the proxy answers POSTs with, one after another. */
  let answers: number[];
  const taken: { token: string; length: string; digest: string }[] = [];

  beforeAll(async () => {
    directory = await mkdtemp(join(tmpdir(), 'upload-'));
    file = join(directory, 'disk.img');
    await writeFile(file, image);
    proxy = createServer(async (request, response) => {
      if (request.method === 'HEAD')
        return response.writeHead(request.url === '/v1beta1/upload-async' ? 200 : 404).end();
      const hash = createHash('sha256');
      for await (const chunk of request) hash.update(chunk);
      const { authorization = '', 'content-length': length = '' } = request.headers;
      taken.push({ token: authorization, length, digest: hash.digest('hex') });
      response.writeHead(answers.shift() ?? 200).end('said the proxy');
    });
    proxy.listen(0, '127.0.0.1');
    await once(proxy, 'listening');
  });
  afterEach(async () => {
    await server?.close();
    taken.length = 0;
  });
  afterAll(async () => {
    await new Promise((resolve) => proxy.close(resolve));
    await rm(directory, { recursive: true });
  });

  const proxyUrl = () => `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;

  /** A server with CDI, as far as an upload sees it. */
  async function importer(
    phases: string[],
    podPhase = 'Succeeded',
    events: readonly object[] = [],
    isThere = false,
  ): Promise<ScriptedServer> {
    let tokens = 0;
    let isCreated = isThere;
    return startScriptedServer(({ method, path }) => {
      if (path.endsWith('/cdiconfigs/config'))
        return { body: { metadata: {}, status: { uploadProxyURL: proxyUrl() } } };
      if (path.endsWith('/uploadtokenrequests')) return { body: { metadata: {}, status: { token: `t${++tokens}` } } };
      if (path.includes('/events')) return { body: { metadata: {}, items: events } };
      if (method === 'DELETE') {
        isCreated = false;
        return { body: { kind: 'Status', status: 'Success' } };
      }
      if (method === 'POST') {
        isCreated = true;
        return { status: 201, body: { metadata: { uid: 'of-this-upload' } } };
      }
      if (path.endsWith('/datavolumes/disk') && isCreated) {
        const phase = phases.length > 1 ? phases.shift() : phases[0];
        return { body: { metadata: { name: 'disk' }, status: { phase } } };
      }
      if (path.endsWith('/persistentvolumeclaims/disk') && isCreated) {
        if (podPhase === 'untold' && taken.length > 0) return { status: 500, body: unavailable };
        const annotations = {
          'cdi.kubevirt.io/storage.pod.phase': podPhase,
          'cdi.kubevirt.io/storage.pod.ready': 'true',
        };
        return { body: { metadata: { name: 'disk', annotations } } };
      }
      return undefined;
    });
  }

  const unavailable = { kind: 'Status', status: 'Failure', reason: 'InternalError', message: 'no leader', code: 500 };

  const upload = (...args: string[]) =>
    runVireo(['image-upload', ...args, `--image-path=${file}`, '--server', server?.url ?? ''], { HOME: directory });

  it('makes a DataVolume, waits, sends the file and waits for the disk', async () => {
    answers = [200];
    server = await importer(['Pending', 'UploadReady']);
    const { code, stdout, stderr } = await upload('dv', 'disk', '--size=10Mi', '--force-bind', '--storage-class=');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout.split('\n')).toEqual([
      'PVC default/disk not found ',
      'DataVolume default/disk created',
      'Waiting for PVC disk upload pod to be ready...',
      'Pod now ready',
      `Uploading data to ${proxyUrl()}`,
      'Uploading data completed successfully, waiting for processing to complete, you can hit ctrl-c without interrupting the progress',
      'Processing completed successfully',
      `Uploading ${file} completed successfully`,
      '',
    ]);
    expect(taken).toEqual([{ token: 'Bearer t1', length: String(image.length), digest }]);
    const created = server.asked.find(({ method, path }) => method === 'POST' && path.endsWith('/datavolumes'));
    expect(created?.body).toMatchObject({
      metadata: { name: 'disk', annotations: { 'cdi.kubevirt.io/storage.bind.immediate.requested': '' } },
      spec: {
        source: { upload: {} },
        contentType: 'kubevirt',
        storage: { resources: { requests: { storage: '10Mi' } } },
      },
    });
  });

  it('tries again, with a new token where the old one is refused', async () => {
    answers = [503, 401, 200];
    server = await importer(['UploadReady']);
    expect(await upload('pvc', 'disk', '--size=10Mi')).toMatchObject({ code: 0, stderr: '' });
    expect(taken.map(({ token }) => token)).toEqual(['Bearer t1', 'Bearer t1', 'Bearer t2']);
    expect(taken.every((each) => each.digest === digest)).toBe(true);
  });

  it('does not try again what is refused for itself', async () => {
    answers = [400];
    server = await importer(['UploadReady']);
    const { code, stderr } = await upload('dv', 'disk', '--size=10Mi');
    expect({ code, stderr }).toEqual({ code: 1, stderr: 'error: unexpected return value 400, said the proxy\n' });
    expect(taken).toHaveLength(1);
  });

  const deletions = () => server?.asked.flatMap(({ method, path }) => (method === 'DELETE' ? [path] : []));

  it('that fails takes away what it made, so that the same command works again', async () => {
    answers = [400, 200];
    server = await importer(['UploadReady']);
    const first = await upload('dv', 'disk', '--size=10Mi');
    expect(first.code).toBe(1);
    expect(first.stdout).toContain('DataVolume default/disk deleted: it was created for this upload, which failed');
    expect(deletions()).toEqual([expect.stringMatching(/\/datavolumes\/disk$/)]);
    const deletion = server.asked.find(({ method }) => method === 'DELETE');
    expect(deletion?.body).toMatchObject({ preconditions: { uid: 'of-this-upload' } });
    expect(await upload('dv', 'disk', '--size=10Mi')).toMatchObject({ code: 0, stderr: '' });
  });

  it('that is complete stays when the server cannot be asked what became of it', async () => {
    answers = [200];
    server = await importer(['UploadReady'], 'untold');
    const { code, stderr } = await upload('dv', 'disk', '--size=10Mi');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr:
        'error: all data was uploaded to disk, but its state cannot be read from the server: no leader\n' +
        'It continues in the background. To see its state: kubectl describe dv disk -n default\n',
    });
    expect(deletions()).toEqual([]);
  });

  it('that fails leaves what was there before', async () => {
    answers = [400];
    server = await importer(['UploadReady'], 'Running', [], true);
    expect((await upload('dv', 'disk', '--no-create')).stderr).toContain('unexpected return value 400');
    expect(deletions()).toEqual([]);
  });

  it('does not take the events of an earlier try for its own', async () => {
    answers = [200];
    const involvedObject = { kind: 'PersistentVolumeClaim', name: 'disk', uid: 'of-another' };
    const old = { metadata: {}, involvedObject, reason: 'ProvisioningFailed', message: 'no room' };
    server = await importer(['Pending', 'UploadReady'], 'Succeeded', [old]);
    expect(await upload('dv', 'disk', '--size=10Mi')).toMatchObject({ code: 0, stderr: '' });
  });

  it('hears a server that answers and hangs up before it has everything', async () => {
    const hasty = createServer((request, response) => {
      if (request.method === 'HEAD') return response.writeHead(200).end();
      request.once('data', () => response.writeHead(413, { connection: 'close' }).end('too large'));
    });
    hasty.listen(0, '127.0.0.1');
    await once(hasty, 'listening');
    server = await importer(['UploadReady']);
    const { stderr } = await upload(
      'dv',
      'disk',
      '--size=10Mi',
      `--uploadproxy-url=http://127.0.0.1:${(hasty.address() as AddressInfo).port}`,
    );
    expect(stderr).toBe('error: unexpected return value 413, too large\n');
    hasty.closeAllConnections();
    await new Promise((resolve) => hasty.close(resolve));
  });

  it('gives up after the tries that it has', async () => {
    answers = [500, 500];
    server = await importer(['UploadReady']);
    const { code, stderr } = await upload('dv', 'disk', '--size=10Mi', '--retry=1');
    expect(code).toBe(1);
    expect(stderr).toMatch(/^error uploading image after 1 retries: unexpected return value 500, said the proxy\n/);
  });

  it('says when the server could make no disk of it', async () => {
    answers = [200];
    server = await importer(['UploadReady'], 'Failed');
    const { code, stderr } = await upload('pvc', 'disk', '--size=10Mi');
    expect({ code, stderr }).toEqual({
      code: 1,
      stderr: expect.stringContaining('the server could not create a disk'),
    });
    expect(deletions()).toHaveLength(1);
  });

  it.each([
    { phase: 'WaitForFirstConsumer', says: 'cannot upload to DataVolume in WaitForFirstConsumer phase' },
    { phase: 'Failed', says: 'DataVolume disk has failed' },
  ])('stops at a DataVolume in $phase', async ({ phase, says }) => {
    server = await importer([phase]);
    const { code, stderr } = await upload('dv', 'disk', '--size=10Mi');
    expect({ code, stderr }).toEqual({ code: 1, stderr: expect.stringContaining(says) });
  });

  it('makes nothing without a size, or when told not to', async () => {
    server = await importer(['UploadReady']);
    expect((await upload('dv', 'disk')).stderr).toContain('when creating a resource, the size must be specified');
    expect((await upload('dv', 'disk', '--no-create')).stderr).toContain('"disk" not found');
    expect(server.asked.filter(({ method }) => method === 'POST')).toEqual([]);
  });
});

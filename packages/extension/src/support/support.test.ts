import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { Secret } from '@vireo/api';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';
import { unzip } from '../testing/unzip.ts';
import { Archives } from './archives.ts';
import { redact } from './redact.ts';
import { type ArchiveFile, zip } from './zip.ts';

const NOW = new Date('2026-02-03T04:05:06Z');

describe('an archive', () => {
  it('has the files that went in', async () => {
    const files = [
      { name: 'a/ü.txt', data: Buffer.from('text '.repeat(1000)) },
      { name: 'empty', data: Buffer.alloc(0) },
    ];
    const pieces: Buffer[] = [];
    for await (const piece of zip(files, NOW)) pieces.push(piece);
    const archive = Buffer.concat(pieces);
    expect([...unzip(archive)]).toEqual(files.map(({ name, data }) => [name, data]));
  });
});

describe('an archive of files that come piece by piece', () => {
  const archived = async (files: readonly ArchiveFile[]): Promise<Buffer> => {
    const parts: Buffer[] = [];
    for await (const piece of zip(files, NOW)) parts.push(piece);
    return Buffer.concat(parts);
  };

  it('is never held as a whole: pieces come out while others go in', async () => {
    let given = 0;
    const data = (async function* () {
      // Noise, for nothing can be left out of it.
      for (; given < 64; given++) yield randomBytes(64 * 1024);
    })();
    const givenAtFirst = await (async () => {
      const pieces = zip([{ name: 'large', data }], NOW);
      await pieces.next();
      await pieces.next();
      return given;
    })();
    expect(givenAtFirst).toBeLessThan(32);
  });

  it('has them whole, and any tool reads it', async () => {
    const text = Buffer.from('a line of a log\n'.repeat(20_000));
    const data = (async function* () {
      for (let at = 0; at < text.length; at += 1000) yield text.subarray(at, at + 1000);
    })();
    const archive = await archived([
      { name: 'logs/streamed', data },
      { name: 'whole', data: text },
    ]);
    expect([...unzip(archive)]).toEqual([
      ['logs/streamed', text],
      ['whole', text],
    ]);
    expect(archive.length).toBeLessThan(text.length / 10);
  });

  it('fails as a whole where a file cannot be read', async () => {
    const data = (async function* () {
      yield Buffer.from('a');
      throw new Error('a disk that is gone');
    })();
    await expect(archived([{ name: 'broken', data }])).rejects.toThrow('a disk that is gone');
  });

  it('gets a name of its own when two are made at one moment', async () => {
    const root = await mkdtemp(join(tmpdir(), 'vireo-archives-'));
    try {
      const archives = new Archives(root);
      const write = () =>
        archives.write(
          'shop',
          'log',
          (async function* () {
            yield { name: 'a', data: Buffer.from('a') };
          })(),
        );
      const written = await Promise.all([write(), write()]);
      // Either of the two may be first.
      expect(written.map(({ name }) => name).sort()).toEqual(['log', 'log-2']);
      expect((await write()).name).toBe('log-3');
      expect((await readdir(join(root, 'shop'))).sort()).toEqual(['log-2.zip', 'log-3.zip', 'log.zip']);
    } finally {
      await rm(root, { recursive: true, force: true });
    }
  });
});

describe('what is collected', () => {
  it.each<[string, unknown, unknown]>([
    [
      'a Secret without its values',
      { kind: 'Secret', metadata: { name: 's' }, data: { key: 'c2VjcmV0' }, stringData: { a: 'b' } },
      { kind: 'Secret', metadata: { name: 's' }, data: { key: '<removed>' }, stringData: { a: '<removed>' } },
    ],
    [
      'a VM without the start-up data of its guest',
      { spec: { volumes: [{ name: 'c', cloudInitNoCloud: { userData: 'password: x', networkDataBase64: 'eA==' } }] } },
      {
        spec: {
          volumes: [
            {
              name: 'c',
              cloudInitNoCloud: { userData: '<11 characters removed>', networkDataBase64: '<4 characters removed>' },
            },
          ],
        },
      },
    ],
    [
      'an object without the text that it was applied with',
      { metadata: { annotations: { 'kubectl.kubernetes.io/last-applied-configuration': '{}', other: 'x' } } },
      { metadata: { annotations: { other: 'x' } } },
    ],
    [
      'a clone without what it writes into its VM',
      { spec: { patches: ['{"op":"add","path":"/spec/userData","value":"x"}'], target: { name: 'copy' } } },
      { spec: { patches: ['<48 characters removed>'], target: { name: 'copy' } } },
    ],
    [
      'a disk without what is said to the server that it comes from',
      {
        metadata: { annotations: { 'cdi.kubevirt.io/storage.import.extraHeaders.0': 'Authorization: x', other: 'y' } },
        spec: { source: { http: { url: 'https://example.org/', extraHeaders: ['Authorization: x'] } } },
      },
      {
        metadata: { annotations: { other: 'y' } },
        spec: { source: { http: { url: 'https://example.org/', extraHeaders: ['<16 characters removed>'] } } },
      },
    ],
    [
      'addresses without passwords',
      { spec: { url: 'https://me:word@example.org/a?b=c@d' } },
      { spec: { url: 'https://…@example.org/a?b=c@d' } },
    ],
    [
      'signed addresses without their signatures',
      { spec: { url: 'https://s3.example.org/a?X-Amz-Signature=geheim&part=1&token=geheim#x' } },
      { spec: { url: 'https://s3.example.org/a?X-Amz-Signature=…&part=1&token=…#x' } },
    ],
    [
      'a backup target without its keys, also before they are moved to their Secret',
      {
        kind: 'Setting',
        value: '{"type":"s3","endpoint":"","accessKeyId": "me","secretAccessKey":"ge\\"heim","bucketName":"b"}',
        default: '{"accessKeyId":"","secretAccessKey":""}',
      },
      {
        kind: 'Setting',
        value: '{"type":"s3","endpoint":"","accessKeyId": "…","secretAccessKey":"…","bucketName":"b"}',
        default: '{"accessKeyId":"","secretAccessKey":""}',
      },
    ],
    [
      'a backup of a VM without the start-up data of its guest, and its Secrets by name',
      {
        kind: 'VirtualMachineBackup',
        status: {
          secretBackups: [{ name: 'keys' }],
          source: { spec: { template: { spec: { volumes: [{ cloudInitNoCloud: { userData: 'geheim' } }] } } } },
        },
      },
      {
        kind: 'VirtualMachineBackup',
        status: {
          secretBackups: [{ name: 'keys' }],
          source: {
            spec: { template: { spec: { volumes: [{ cloudInitNoCloud: { userData: '<6 characters removed>' } }] } } },
          },
        },
      },
    ],
    [
      'a template without the values of its parameters',
      {
        spec: {
          parameters: [
            { name: 'PASSWORD', value: 'geheim' },
            { name: 'NAME', generate: 'expression' },
          ],
        },
      },
      {
        spec: {
          parameters: [
            { name: 'PASSWORD', value: '<6 characters removed>' },
            { name: 'NAME', generate: 'expression' },
          ],
        },
      },
    ],
    [
      'a reference to a secret as it is',
      { spec: { secretRef: { name: 'x' } } },
      { spec: { secretRef: { name: 'x' } } },
    ],
  ])('is %s', (_, object, expected) => {
    expect(redact(object)).toEqual(expected);
  });
});

describe('the archive of an upgrade log', () => {
  let installation: Installation;
  beforeAll(async () => {
    installation = await install();
  });
  afterAll(() => installation?.close());

  const at = { namespace: 'default' };
  const fetched = async (path: string): Promise<{ status: number; name: string; body: Buffer }> => {
    const { home, server } = installation.server;
    const [ca, cert, key] = await Promise.all(
      ['ca.crt', 'admin.crt', 'admin.key'].map((name) => readFile(join(home, 'pki', name))),
    );
    const { promise, resolve, reject } = Promise.withResolvers<{ status: number; name: string; body: Buffer }>();
    https
      .get(`https://127.0.0.1:${server.port}${path}`, { ca, cert, key }, async (response) => {
        const name = response.headers['content-disposition'] ?? '';
        resolve({ status: response.statusCode ?? 0, name, body: await buffer(response) });
      })
      .once('error', reject);
    return promise;
  };

  it('has the objects of the server, and no secret; it goes with its log', async () => {
    const { client, home } = installation.server;
    await client.of(Secret).create({ metadata: { name: 'hidden', ...at }, stringData: { password: 'geheim' } });
    const cloudInit = { name: 'init', cloudInitNoCloud: { userData: 'password: geheim' } };
    await client.of(VirtualMachine).create({
      metadata: { name: 'web', ...at },
      spec: {
        runStrategy: 'Halted',
        template: {
          spec: {
            domain: { devices: { disks: [{ name: 'init', disk: {} }] }, memory: { guest: '64Mi' } },
            volumes: [cloudInit],
          },
        },
      },
    });
    await client.of(UpgradeLog).create({ metadata: { name: 'log', ...at }, spec: {} });
    const status = { conditions: [{ type: 'Started', status: 'True' }] };
    await client.of(UpgradeLog).patchStatus('log', { status }, { ...at, type: 'merge' });
    const below = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/upgradelogs/log';
    const name = (await client.call({ method: 'POST', path: `${below}/generate` })) as string;

    const response = await fetched(`${below}/download`);
    expect(response).toMatchObject({ status: 200, name: `attachment; filename="${name}.zip"` });
    const files = unzip(response.body);
    expect([...files.keys()]).toEqual(
      expect.arrayContaining(['objects/core/namespaces.json', 'objects/kubevirt.io/virtualmachines.json']),
    );
    expect(files.has('problems.txt')).toBe(false);
    const everything = [...files.values()].map(String).join('\n');
    expect(everything).toContain('"name": "web"');
    expect(everything).not.toContain('geheim');
    const steve = await fetched(`/v1/harvester/harvesterhci.io.upgradelogs/default/log/download?archiveName=${name}`);
    expect(steve.body.equals(response.body)).toBe(true);
    expect((await fetched(`${below}/download?archiveName=../../etc/passwd`)).status).toBe(404);

    const path = join(home, 'archives/default', `${name}.zip`);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    await client.of(UpgradeLog).delete('log', at);
    await vi.waitFor(() => expect(stat(path)).rejects.toThrow('ENOENT'), { timeout: 20_000 });
  });

  it('is removed at the next start where its log went meanwhile', async () => {
    const archives = new Archives(join(installation.server.home, 'others'));
    const empty = (async function* () {})();
    for (const name of ['listed', 'lost', 'new']) await archives.write('default', name, empty);
    const past = new Date(NOW);
    const path = (name: string): string => join(installation.server.home, 'others/default', `${name}.zip`);
    await writeFile(`${path('cut-short')}.part`, '');
    for (const file of [path('listed'), path('lost'), `${path('cut-short')}.part`]) await utimes(file, past, past);
    await archives.prune((namespace, name) => namespace === 'default' && name === 'listed', NOW.getTime() + 1000);
    expect((await readdir(join(path('x'), '..'))).sort()).toEqual(['listed.zip', 'new.zip']);
  });

  it('is a file of a name', async () => {
    const archives = new Archives(join(installation.server.home, 'archives'));
    await expect(archives.read('..', 'x')).rejects.toThrow('".." is not a valid archive name');
    expect(await archives.read('default', 'missing')).toBeUndefined();
  });
});

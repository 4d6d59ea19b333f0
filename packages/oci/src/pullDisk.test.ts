import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { crc32 } from 'node:zlib';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type PullOptions, pullDisk } from './pullDisk.ts';
import { type DebianRegistry, REGISTRY_USER, startDebianRegistry } from './testing/debianRegistry.ts';
import { type FakeRegistry, type FakeRegistryOptions, startFakeRegistry } from './testing/fakeRegistry.ts';
import { diskImage, testDisk, testIndex } from './testing/image.ts';
import { push } from './testing/push.ts';

const run = promisify(execFile);
const DISK = testDisk(1_000_000);

let directory: string;
let destination: string;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-oci-'));
  destination = join(directory, 'disk');
});
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
  await rm(directory, { recursive: true, force: true });
});

const registry = async (options?: FakeRegistryOptions): Promise<FakeRegistry> => {
  const started = await startFakeRegistry(options);
  closing.push(() => started.close());
  return started;
};

/** Waits for nothing, and remembers for how long it would have. */
function quickRetries() {
  const waits: number[] = [];
  const wait = async (ms: number): Promise<void> => void waits.push(ms);
  return { waits, retryPolicy: { attempts: 4, firstDelayMs: 100, maxDelayMs: 30_000, wait } };
}

const pull = (reference: string, options: Partial<PullOptions> = {}) =>
  pullDisk(reference, { architecture: 'amd64', destination, retryPolicy: quickRetries().retryPolicy, ...options });

describe('a disk from a registry', () => {
  it.each(['none', 'gzip', 'zstd'] as const)('is pulled from layers packed with %s', async (compression) => {
    const { host, put } = await registry();
    const image = diskImage(DISK, { compression });
    put('team/disk', 'v1', image);
    const progress: number[] = [];
    const pulled = await pull(`${host}/team/disk:v1`, {
      onProgress: ({ doneBytes, totalBytes }) => progress.push(doneBytes / totalBytes),
    });
    expect(pulled).toMatchObject({ format: 'raw', path: '/disk/disk.img', digest: image.root, checksum: crc32(DISK) });
    expect((await readFile(destination)).equals(DISK)).toBe(true);
    expect(progress.at(-1)).toBe(1);
    expect(progress).toEqual(progress.toSorted((a, b) => a - b));
    expect(await readdir(directory)).toEqual(['disk']);
  });

  it.each(['oci', 'docker'] as const)('is chosen by architecture from a list of %s', async (format) => {
    const { host, put } = await registry();
    const arm = diskImage(testDisk(5000), { format, architecture: 'arm64' });
    put('disk', 'v1', testIndex({ amd64: diskImage(DISK, { format }), arm64: arm }, format));
    expect(await pull(`${host}/disk:v1`, { architecture: 'arm64' })).toMatchObject({ digest: arm.root });
    await expect(pull(`${host}/disk:v1`, { architecture: 's390x' })).rejects.toMatchObject({
      code: 'WrongArchitecture',
      message: expect.stringContaining('has no image for s390x; available architectures: amd64, arm64'),
    });
  });

  it('of another architecture is refused by its configuration', async () => {
    const { host, put } = await registry();
    put('disk', 'v1', diskImage(DISK, { architecture: 'arm64' }));
    await expect(pull(`${host}/disk:v1`)).rejects.toMatchObject({ code: 'WrongArchitecture' });
  });

  it('is pulled by digest, whatever the tag has become', async () => {
    const { host, put } = await registry();
    const first = diskImage(DISK);
    put('disk', 'v1', first);
    put('disk', 'v1', diskImage(testDisk(1000)));
    expect(await pull(`${host}/disk:v1@${first.root}`)).toMatchObject({ virtualBytes: DISK.length });
  });

  it('has holes in place of zeros', async () => {
    const { host, put } = await registry();
    put('disk', 'v1', diskImage(Buffer.concat([Buffer.alloc(50_000_000), Buffer.from('end')])));
    await pull(`${host}/disk:v1`);
    const { size, blocks } = await stat(destination);
    expect(size).toBe(50_000_003);
    expect(blocks * 512).toBeLessThan(1_000_000);
  });

  it('is pulled from the first mirror that has it', async () => {
    const [mirror, empty] = [await registry(), await registry()];
    mirror.put('disk', 'v1', diskImage(DISK));
    const mirrors = [`http://${empty.host}`, `http://${mirror.host}`];
    await pull('registry.invalid/disk:v1', { settings: { mirrors } });
    expect(empty.requests).toEqual(['GET /v2/disk/manifests/v1']);
  });
});

it('a disk is pulled through the proxy that the environment names', async () => {
  const proxy = await registry();
  proxy.put('disk', 'v1', diskImage(DISK));
  const program = `
    import { pullDisk } from ${JSON.stringify(import.meta.resolve('./pullDisk.ts'))};
    const settings = { isPlainHttp: true };
    await pullDisk('far.invalid/disk:v1', { architecture: 'amd64', destination: process.argv[1], settings });`;
  // The environment is read when the module is: so in a process of its own.
  const env = { ...process.env, HTTP_PROXY: `http://${proxy.host}`, http_proxy: '', NO_PROXY: '', no_proxy: '' };
  await run(process.execPath, ['--input-type=module', '-e', program, destination], { env });
  expect((await readFile(destination)).equals(DISK)).toBe(true);
});

describe('a registry that asks for credentials', () => {
  const user = { username: 'u', password: 'p' };

  it.each(['token', 'basic'] as const)('lets a client pull with the right password (%s)', async (kind) => {
    const { host, put } = await registry({ auth: { kind, ...user } });
    put('disk', 'v1', diskImage(DISK));
    expect(await pull(`${host}/disk:v1`, { credentials: user })).toMatchObject({ format: 'raw' });
  });

  it.each(['token', 'basic'] as const)('refuses a client with a wrong password (%s)', async (kind) => {
    const { host, put } = await registry({ auth: { kind, ...user } });
    put('disk', 'v1', diskImage(DISK));
    const message = expect.stringMatching(/401 Unauthorized; it rejected the credentials of user "u"/);
    const credentials = { username: 'u', password: 'wrong' };
    await expect(pull(`${host}/disk:v1`, { credentials })).rejects.toMatchObject({ code: 'Unauthorized', message });
    const without = expect.stringMatching(/401 Unauthorized; no credentials were sent/);
    await expect(pull(`${host}/disk:v1`)).rejects.toMatchObject({ code: 'Unauthorized', message: without });
  });

  it('public images need a token too, and anybody gets one', async () => {
    const { host, put, requests } = await registry({ auth: { kind: 'token' } });
    put('disk', 'v1', diskImage(DISK));
    await pull(`${host}/disk:v1`);
    expect(requests.filter((each) => each === 'GET /token')).toHaveLength(1);
  });

  it('credentials do not follow a redirect to another server', async () => {
    const seen: (string | undefined)[] = [];
    const storage = await registry({
      fault: ({ headers }) => {
        seen.push(headers.authorization);
        return false;
      },
    });
    const image = diskImage(DISK);
    storage.put('disk', 'v1', image);
    const front = await registry({
      auth: { kind: 'basic', ...user },
      fault: ({ url, headers }, response) => {
        if (!url?.includes('/blobs/') || !headers.authorization) return false;
        response.writeHead(307, { location: `http://${storage.host}${url}` }).end();
        return true;
      },
    });
    front.put('disk', 'v1', image);
    await pull(`${front.host}/disk:v1`, { credentials: user });
    expect(seen.length).toBeGreaterThan(0);
    expect(seen.every((authorization) => authorization === undefined)).toBe(true);
  });
});

describe('what goes wrong on the way', () => {
  const isLayer = (image: { blobs: ReadonlyMap<string, Buffer> }, url = ''): boolean => {
    const digest = url.split('/').at(-1) ?? '';
    return (image.blobs.get(digest)?.length ?? 0) > 100_000;
  };
  const image = diskImage(DISK, { compression: 'none' });

  it.each([true, false])('a transfer that breaks off goes on where it was (ranges: %s)', async (ranges) => {
    let breaks = 3;
    const { host, put, requests } = await registry({
      ranges,
      fault: ({ url, headers }, response) => {
        if (!isLayer(image, url) || breaks === 0) return false;
        breaks -= 1;
        const bytes = image.blobs.get(url?.split('/').at(-1) ?? '') ?? Buffer.alloc(0);
        const start = ranges ? Number(/\d+/.exec(headers.range ?? '0')?.[0]) : 0;
        const range = { 'content-range': `bytes ${start}-${bytes.length - 1}/${bytes.length}` };
        response.writeHead(start > 0 ? 206 : 200, { 'content-length': bytes.length - start, ...(start && range) });
        response.write(bytes.subarray(start, start + (4 - breaks) * 100_000), () => response.destroy());
        return true;
      },
    });
    put('disk', 'v1', image);
    await pull(`${host}/disk:v1`);
    expect((await readFile(destination)).equals(DISK)).toBe(true);
    expect(requests.filter((each) => each.includes('bytes=')).length).toBe(3);
  });

  it('a transfer that always breaks off is given up, and nothing is left', async () => {
    const { host, put } = await registry({
      fault: ({ url }, response) => {
        if (!isLayer(image, url)) return false;
        response.destroy();
        return true;
      },
    });
    put('disk', 'v1', image);
    const { waits, retryPolicy: quick } = quickRetries();
    await expect(pull(`${host}/disk:v1`, { retryPolicy: quick })).rejects.toMatchObject({
      code: 'Unreachable',
      message: expect.stringContaining('was interrupted'),
    });
    expect(waits).toEqual([100, 200, 400]);
    expect(await readdir(directory)).toEqual([]);
  });

  it('a registry that has enough is asked again when it wants', async () => {
    let refusals = 2;
    const { host, put } = await registry({
      fault: (_, response) => {
        if (refusals === 0) return false;
        refusals -= 1;
        response.writeHead(429, { 'retry-after': '7' }).end();
        return true;
      },
    });
    put('disk', 'v1', image);
    const { waits, retryPolicy: quick } = quickRetries();
    await pull(`${host}/disk:v1`, { retryPolicy: quick, settings: { isPlainHttp: true } });
    expect(waits).toEqual([7000, 7000]);
  });

  it('a registry that asks to wait an hour fails the pull at once', async () => {
    const { host } = await registry({
      fault: (_, response) => {
        response.writeHead(429, { 'retry-after': '3600' }).end();
        return true;
      },
    });
    const { waits, retryPolicy: quick } = quickRetries();
    await expect(pull(`${host}/disk:v1`, { retryPolicy: quick })).rejects.toMatchObject({ code: 'RateLimited' });
    expect(waits).toEqual([]);
  });

  it.each<[string, (bytes: Buffer) => Buffer, RegExp]>([
    [
      'other bytes',
      (bytes) => Buffer.from(bytes).fill(1, 100_000, 100_001),
      /should have digest sha256:.* but the received data has sha256:/,
    ],
    ['more bytes', (bytes) => Buffer.concat([bytes, Buffer.alloc(10)]), /larger than its declared size/],
  ])('%s than the manifest names are refused', async (_, change, message) => {
    const { host, put } = await registry({
      fault: ({ url }, response) => {
        if (!isLayer(image, url)) return false;
        response.end(change(image.blobs.get(url?.split('/').at(-1) ?? '') ?? Buffer.alloc(0)));
        return true;
      },
    });
    put('disk', 'v1', image);
    await expect(pull(`${host}/disk:v1`)).rejects.toMatchObject({
      code: 'BadDigest',
      message: expect.stringMatching(message),
    });
    expect(await readdir(directory)).toEqual([]);
  });

  it('another manifest than the digest names is refused', async () => {
    const { host, put } = await registry({
      fault: ({ url }, response) => {
        if (!url?.includes('/manifests/')) return false;
        response.end(image.blobs.get(image.root));
        return true;
      },
    });
    put('disk', 'v1', image);
    await expect(pull(`${host}/disk@sha256:${'0'.repeat(64)}`)).rejects.toMatchObject({ code: 'BadDigest' });
  });

  it('what is not there is named', async () => {
    const { host } = await registry();
    await expect(pull(`${host}/no/such:v1`)).rejects.toMatchObject({
      code: 'NotFound',
      message: `${host}/no/such:v1 does not exist (registry ${host} responded with 404 Not Found: manifest unknown)`,
    });
    const nobody = await registry();
    await nobody.close();
    await expect(pull(`${nobody.host}/a`)).rejects.toMatchObject({
      code: 'Unreachable',
      message: expect.stringMatching(/cannot be reached: connect ECONNREFUSED/),
    });
    await expect(pull('nowhere.invalid/a')).rejects.toMatchObject({ code: 'Unreachable' });
  });

  it('whoever no longer wants it stops the transfer', async () => {
    const stop = new AbortController();
    const { host, put } = await registry({
      fault: ({ url }, response) => {
        if (!isLayer(image, url)) return false;
        response.write(Buffer.alloc(1000), () => stop.abort());
        return true;
      },
    });
    put('disk', 'v1', image);
    await expect(pull(`${host}/disk:v1`, { signal: stop.signal })).rejects.toMatchObject({ name: 'AbortError' });
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('TLS', () => {
  let tls: { key: string; cert: string };
  beforeAll(async () => {
    const files = await mkdtemp(join(tmpdir(), 'vireo-oci-tls-'));
    const [key, cert] = [join(files, 'key'), join(files, 'cert')];
    const subject = ['-subj', '/CN=registry', '-addext', 'subjectAltName=IP:127.0.0.1'];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes'];
    await run('openssl', ['req', '-x509', ...curve, ...subject, '-days', '1', '-keyout', key, '-out', cert]);
    tls = { key: await readFile(key, 'utf8'), cert: await readFile(cert, 'utf8') };
    await rm(files, { recursive: true });
  });

  it('works with an authority of its own or unchecked, and not otherwise', async () => {
    const { host, put } = await registry({ tls });
    put('disk', 'v1', diskImage(DISK));
    await pull(`${host}/disk:v1`, { settings: { ca: tls.cert } });
    await pull(`${host}/disk:v1`, { settings: { isInsecure: true } });
    await expect(pull(`${host}/disk:v1`)).rejects.toMatchObject({
      code: 'Unreachable',
      message: expect.stringMatching(/certificate/),
    });
  });
});

describe("Debian's docker-registry", () => {
  let open: DebianRegistry;
  let closed: DebianRegistry;
  beforeAll(async () => {
    [open, closed] = await Promise.all([startDebianRegistry(), startDebianRegistry({ isPrivate: true })]);
  });
  afterAll(async () => {
    await open?.close();
    await closed?.close();
  });

  it.each(['oci', 'docker'] as const)('serves %s images of several architectures', async (format) => {
    const architectures = { amd64: diskImage(DISK, { format }), arm64: diskImage(testDisk(777), { format }) };
    await push(open.host, `lists/${format}`, 'v1', testIndex(architectures, format));
    expect(await pull(`${open.host}/lists/${format}:v1`)).toMatchObject({ virtualBytes: DISK.length });
    expect((await readFile(destination)).equals(DISK)).toBe(true);
    expect(await pull(`${open.host}/lists/${format}:v1`, { architecture: 'arm64' })).toMatchObject({
      virtualBytes: 777,
    });
    await expect(pull(`${open.host}/lists/${format}:v2`)).rejects.toMatchObject({ code: 'NotFound' });
  });

  it('serves a private image to whoever has the password', async () => {
    await push(closed.host, 'disk', 'v1', diskImage(DISK), REGISTRY_USER);
    await pull(`${closed.host}/disk:v1`, { credentials: REGISTRY_USER });
    expect((await readFile(destination)).equals(DISK)).toBe(true);
    await expect(pull(`${closed.host}/disk:v1`)).rejects.toMatchObject({ code: 'Unauthorized' });
    const credentials = { ...REGISTRY_USER, password: 'x' };
    await expect(pull(`${closed.host}/disk:v1`, { credentials })).rejects.toMatchObject({ code: 'Unauthorized' });
  });
});

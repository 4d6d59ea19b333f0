import { mkdir, mkdtemp, readdir, readFile, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { type FakeRegistry, type FakeRegistryOptions, startFakeRegistry } from '@vireo/oci/testing/fakeRegistry.ts';
import { diskImage, layoutFiles, testDisk, testIndex, writeLayout } from '@vireo/oci/testing/image.ts';
import { tar } from '@vireo/oci/testing/tarWriter.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { ImageStore } from '../disks/images.ts';
import { vmiIn } from '../testing/objects.ts';
import { containerDiskChecksums, containerDiskFiles, makeContainerDisk } from './containerDisk.ts';
import { kernelBootFiles } from './kernelBoot.ts';
import { PulledImages, type PullObserver } from './pulledImages.ts';

const DISK = testDisk(300_000);
const OTHER = testDisk(200_000);

let home: string;
let images: ImageStore;
let stop: AbortController;
const closing: (() => Promise<void>)[] = [];

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-images-'));
  await mkdir(join(home, 'vmi'));
  stop = new AbortController();
  images = new ImageStore({
    directory: join(home, 'images'),
    cache: join(home, 'cache'),
    log: () => {},
    architecture: 'amd64',
    signal: stop.signal,
  });
});
afterEach(async () => {
  stop.abort();
  for (const close of closing.splice(0)) await close();
  await rm(home, { recursive: true, force: true });
});

const registry = async (options?: FakeRegistryOptions): Promise<FakeRegistry> => {
  const started = await startFakeRegistry(options);
  closing.push(() => started.close());
  return started;
};
const content = async ({ path }: { path: string }): Promise<Buffer> => readFile(path);
const manifestsAsked = ({ requests }: FakeRegistry): number =>
  requests.filter((each) => each.includes('/manifests/v')).length;
const layersAsked = ({ requests }: FakeRegistry, image: ReturnType<typeof diskImage>): number =>
  requests.filter((each) => (image.blobs.get(each.split('/').at(-1) ?? '')?.length ?? 0) > 10_000).length;

function observed(): { words: string[]; observer: PullObserver } {
  const words: string[] = [];
  return {
    words,
    observer: {
      onPulling: () => words.push('pulling'),
      onPulled: ({ imageBytes }) => words.push(`pulled ${imageBytes > 0}`),
      onPresent: () => words.push('present'),
    },
  };
}

describe('pull policies', () => {
  it('IfNotPresent asks once; Always asks what the name stands for now; Never does not ask', async () => {
    const server = await registry();
    const { host, put } = server;
    const [first, second] = [diskImage(DISK), diskImage(OTHER)];
    put('disk', 'v1', first);
    const image = `${host}/disk:v1`;
    await expect(images.resolve(image, { policy: 'Never' })).rejects.toMatchObject({
      reason: 'ErrImageNeverPull',
      message: `Container image "${image}" is not present with pull policy of Never`,
    });
    expect(server.requests).toEqual([]);
    const { words, observer } = observed();
    expect(await content(await images.resolve(image, { policy: 'IfNotPresent', ...observer }))).toEqual(DISK);
    const asked = server.requests.length;
    expect(await content(await images.resolve(image, { policy: 'Never', ...observer }))).toEqual(DISK);
    expect(await content(await images.resolve(image, observer))).toEqual(DISK);
    expect(server.requests).toHaveLength(asked);

    put('disk', 'v1', second);
    expect(await content(await images.resolve(image, { policy: 'IfNotPresent' }))).toEqual(DISK);
    expect(await content(await images.resolve(image, { policy: 'Always', ...observer }))).toEqual(OTHER);
    // The same digest again: the manifest is asked for, the layers are not.
    const before = layersAsked(server, second);
    expect(await content(await images.resolve(image, { policy: 'Always' }))).toEqual(OTHER);
    expect(layersAsked(server, second)).toBe(before);
    expect(words).toEqual(['pulling', 'pulled true', 'present', 'present', 'pulling', 'pulled true']);
  });

  it('without a policy the tag decides', async () => {
    const server = await registry();
    server.put('disk', 'v1', diskImage(DISK));
    server.put('disk', 'latest', diskImage(DISK));
    for (let turn = 0; turn < 2; turn++)
      for (const tag of ['v1', 'latest']) await images.resolve(`${server.host}/disk:${tag}`);
    expect(manifestsAsked(server)).toBe(1);
    expect(server.requests.filter((each) => each.endsWith('/manifests/latest'))).toHaveLength(2);
  });

  it('what is kept survives a restart; what was half done does not', async () => {
    const server = await registry();
    server.put('disk', 'v1', diskImage(DISK));
    await images.resolve(`${server.host}/disk:v1`);
    const disks = join(home, 'images/oci/disks');
    const [name = ''] = await readdir(disks);
    await mkdir(join(disks, `${name}.unfinished-x`));
    await server.close();
    const next = new ImageStore({ directory: join(home, 'images'), cache: home, log: () => {}, architecture: 'amd64' });
    expect(await content(await next.resolve(`${server.host}/disk:v1`))).toEqual(DISK);
    expect(await readdir(disks)).toEqual([name]);
  });
});

describe('a pull', () => {
  it('is shared by VMs that start together', async () => {
    const server = await registry();
    const image = diskImage(DISK);
    server.put('disk', 'v1', image);
    const found = await Promise.all([1, 2, 3].map(() => images.resolve(`${server.host}/disk:v1`)));
    expect(new Set(found.map(({ path }) => path)).size).toBe(1);
    expect(layersAsked(server, image)).toBe(1);
  });

  it.each<[string, (host: string) => string, reason: string, message: RegExp]>([
    ['no name', () => 'Not A Name', 'InvalidImageName', /"Not A Name" is not a valid image reference/],
    ['a path', () => '../../etc/passwd', 'InvalidImageName', /not a valid image reference/],
    ['a scheme', (host) => `docker://${host}/disk`, 'InvalidImageName', /not a valid image reference/],
    ['no image', (host) => `${host}/no/such:v1`, 'ErrImagePull', /failed to pull image ".*": .*404.*manifest unknown/],
    ['other architectures', (host) => `${host}/arm:v1`, 'ErrImagePull', /no image for amd64; .*: arm64/],
    ['no disk', (host) => `${host}/empty:v1`, 'ErrImagePull', /no files in \/disk/],
    ['no registry', () => '127.0.0.1:1/disk', 'ErrImagePull', /registry 127.0.0.1:1 cannot be reached.*ECONNREFUSED/],
    ['no layout', () => 'oci-layout:nothing', 'ErrImagePull', /no such image in/],
    ['a path to a layout', () => 'oci-layout:../../etc', 'ErrImagePull', /no such image in/],
    ['an absolute one', () => 'oci-archive:/etc/passwd', 'ErrImagePull', /no such image in/],
  ])('%s is reported', async (_, imageOn, reason, message) => {
    const server = await registry();
    server.put('arm', 'v1', testIndex({ arm64: diskImage(DISK, { architecture: 'arm64' }) }));
    server.put('empty', 'v1', diskImage(DISK, { layers: [[{ name: 'etc/x', content: 'x' }]] }));
    await expect(images.resolve(imageOn(server.host))).rejects.toMatchObject({
      reason,
      message: expect.stringMatching(message),
    });
    expect(await readdir(join(home, 'images/oci/disks')).catch(() => [])).toEqual([]);
  });

  it('ends with the node', async () => {
    const server = await registry({
      fault: ({ url }, response) => {
        if (!url?.includes('/blobs/') || layersAsked(server, image) === 0) return false;
        response.write(Buffer.alloc(100), () => stop.abort(new Error('the node stops')));
        return true;
      },
    });
    const image = diskImage(DISK);
    server.put('disk', 'v1', image);
    await expect(images.resolve(`${server.host}/disk:v1`)).rejects.toThrow(/the node stops/);
  });

  it('trusts whom the owner of the home says, and tells of mistakes there', async () => {
    const server = await registry();
    server.put('disk', 'v1', diskImage(DISK));
    const settings = (registries: unknown): Promise<void> =>
      writeFile(join(home, 'registries.json'), JSON.stringify({ registries }));
    await settings({ 'far.invalid': { mirrors: [`http://${server.host}`] } });
    expect(await content(await images.resolve('far.invalid/disk:v1'))).toEqual(DISK);
    await settings({ 'far.invalid': { mirror: [] } });
    await expect(images.resolve('far.invalid/disk:v2')).rejects.toThrow(
      /registries\["far.invalid"\].mirror is unknown/,
    );
  });
});

describe('images that lie below the home', () => {
  it('a layout, by its name and by its form; a new version is seen', async () => {
    const layout = join(home, 'images/team/disk');
    await mkdir(layout, { recursive: true });
    await writeLayout(layout, diskImage(DISK));
    expect(await content(await images.resolve('team/disk'))).toEqual(DISK);
    expect(await content(await images.resolve('oci-layout:team/disk'))).toEqual(DISK);
    await writeLayout(layout, diskImage(OTHER));
    expect(await content(await images.resolve('team/disk:latest'))).toEqual(OTHER);
  });

  it('an archive', async () => {
    await mkdir(join(home, 'images/team'), { recursive: true });
    await writeFile(join(home, 'images/team/disk.tar'), tar(layoutFiles(diskImage(DISK))));
    expect(await content(await images.resolve('team/disk'))).toEqual(DISK);
    expect(await content(await images.resolve('oci-archive:team/disk.tar'))).toEqual(DISK);
  });

  it('a bare disk', async () => {
    await mkdir(join(home, 'images/plain'), { recursive: true });
    await writeFile(join(home, 'images/plain/disk.raw'), DISK);
    expect(await images.resolve('plain')).toMatchObject({ format: 'raw', path: join(home, 'images/plain/disk.raw') });
  });
});

describe('the disk of a VM', () => {
  const files = () => containerDiskFiles(join(home, 'vmi'), 'root');
  const make = (source: NonNullable<Volume['containerDisk']>, secrets: Record<string, string> = {}) =>
    makeContainerDisk(source, files(), {
      images,
      readSecret: async (name) => {
        const secret = secrets[name];
        if (secret === undefined) throw new Error(`secrets "${name}" not found`);
        return { '.dockerconfigjson': Buffer.from(secret) };
      },
    });

  it('stands on a link of its own, and keeps its image from being collected', async () => {
    const server = await registry();
    server.put('disk', 'v1', diskImage(DISK));
    await make({ image: `${server.host}/disk:v1` });
    const { overlay, base } = files();
    expect(await readFile(overlay, 'latin1')).toContain(base);
    expect(await readFile(base)).toEqual(DISK);
    expect(await containerDiskChecksums(join(home, 'vmi'))).toEqual({ root: crc32(DISK) });
    const directory = join(home, 'images/oci');
    const [entry = ''] = await readdir(join(directory, 'disks'));
    const longAgo = new Date(0);
    await utimes(join(directory, 'disks', entry), longAgo, longAgo);
    const collector = new PulledImages({
      directory,
      settingsFile: '',
      architecture: 'amd64',
      clock: { now: () => Date.now(), after: () => () => {} },
      signal: stop.signal,
    });
    expect(await collector.collect()).toEqual([]);
    await rm(join(home, 'vmi'), { recursive: true });
    expect(await collector.collect()).toEqual([entry]);
    expect(await readdir(join(directory, 'disks'))).toEqual([]);
    expect(await readdir(join(directory, 'references'))).toEqual([]);
  });

  it('from a private registry with the pull secret', async () => {
    const user = { username: 'reader', password: 'right' };
    const { host, put } = await registry({ auth: { kind: 'token', ...user } });
    put('disk', 'v1', diskImage(DISK));
    const image = `${host}/disk:v1`;
    const config = (password: string): string =>
      JSON.stringify({ auths: { [host]: { auth: Buffer.from(`reader:${password}`).toString('base64') } } });
    const secrets = { good: config('right'), bad: config('wrong') };
    const failing: [string | undefined, RegExp][] = [
      [undefined, /401 Unauthorized; no credentials were sent/],
      ['bad', /401 Unauthorized; it rejected the credentials of user "reader"/],
      ['lost', /pull secret "lost": secrets "lost" not found/],
    ];
    for (const [imagePullSecret, message] of failing)
      await expect(make({ image, imagePullSecret }, secrets)).rejects.toMatchObject({
        reason: 'ErrImagePull',
        message: expect.stringMatching(message),
      });
    await make({ image, imagePullSecret: 'good' }, secrets);
    expect((await stat(files().base)).nlink).toBe(2);
  });
});

describe('a kernel', () => {
  const image = diskImage(DISK, {
    layers: [
      [
        { name: 'boot/vmlinuz', content: 'kernel' },
        { name: 'boot/initrd', content: 'initrd' },
      ],
    ],
  });
  const files = (container: object) =>
    kernelBootFiles(
      vmiIn('Scheduling', {}, { domain: { devices: {}, firmware: { kernelBoot: { container } } } } as never),
      join(home, 'vmi'),
      { images, readSecret: async () => ({}) },
    );

  it('and its initial RAM disk come out of an image', async () => {
    const { host, put } = await registry();
    put('linux', 'v1', image);
    const container = { image: `${host}/linux:v1`, kernelPath: '/boot/vmlinuz', initrdPath: '/boot/initrd' };
    const { kernel = '', initrd = '' } = await files(container);
    expect(await readFile(kernel, 'utf8')).toBe('kernel');
    expect(await readFile(initrd, 'utf8')).toBe('initrd');
    await expect(images.resolve(container.image, { path: '/boot/vmlinuz' })).resolves.toMatchObject({ isCached: true });
    await rm(kernel);
    await expect(files({ ...container, kernelPath: '/boot/other' })).rejects.toMatchObject({
      reason: 'ErrImagePull',
      message: expect.stringContaining('has no file /boot/other'),
    });
  });

  it('is not asked for by VMs that have none', async () => {
    expect(await kernelBootFiles(vmiIn('Scheduling'), home, { images, readSecret: async () => ({}) })).toEqual({});
  });
});

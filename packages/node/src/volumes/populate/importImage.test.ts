import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type PersistentVolumeClaim as Claim, Secret } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import * as names from '@vireo/api/kinds/cdi/names.ts';
import { type FakeRegistry, startFakeRegistry } from '@vireo/oci/testing/fakeRegistry.ts';
import { diskImage, testImage, testIndex } from '@vireo/oci/testing/image.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bootSectorDisk } from '../../guestImage/bootSectorGuest.ts';
import { NAMESPACE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';
import { MIB, qcow2Of, sampleDisk } from './testing/images.ts';

const LOGIN = { username: 'me', password: 'word' };
const at = { namespace: NAMESPACE };
const DISK = sampleDisk();

let cluster: VolumeCluster;
let scratch: string;
let registry: FakeRegistry;
beforeAll(async () => {
  cluster = await startVolumeCluster();
  scratch = await mkdtemp(join(tmpdir(), 'vireo-import-image-'));
  registry = await startFakeRegistry({ auth: { kind: 'basic', ...LOGIN } });
  registry.put('images/disk', 'raw', diskImage(DISK));
  registry.put('images/disk', 'qcow2', diskImage(await qcow2Of(DISK, scratch)));
  registry.put('images/disk', 'many', testIndex({ amd64: diskImage(Buffer.alloc(MIB, 1)), arm64: diskImage(DISK) }));
  registry.put('images/disk', 'none', testImage({ layers: [[{ name: 'etc/passwd', content: 'root' }]] }));
  registry.put('images/disk', 'large', diskImage(Buffer.alloc(17 * MIB, 1)));
  registry.put('images/disk', 'huge', diskImage(Buffer.alloc(90 * MIB, 1)));
  await cluster.admin.of(Secret).create({
    metadata: { name: 'login', ...at },
    stringData: { accessKeyId: LOGIN.username, secretKey: LOGIN.password },
  });
  await cluster.admin.of(Secret).create({
    metadata: { name: 'pull', ...at },
    type: 'kubernetes.io/dockerconfigjson',
    stringData: { '.dockerconfigjson': JSON.stringify({ auths: { [registry.host]: LOGIN } }) },
  });
  await cluster.admin.of(Secret).create({ metadata: { name: 'odd', ...at }, stringData: { token: 'x' } });
});
afterAll(async () => {
  await cluster?.close();
  await registry?.close();
  await rm(scratch, { recursive: true, force: true });
});

const note = (claim: Claim, name: string): string | undefined => claim.metadata.annotations?.[name];

const pathOf = async (name: string): Promise<string> => (await cluster.volumeOf(name)).spec?.local?.path ?? '';

type Source = NonNullable<NonNullable<DataVolume['spec']['source']>['registry']>;

const create = (name: string, tag: string, more: Source = {}, annotations: Record<string, string> = {}) =>
  cluster.admin.of(DataVolume).create({
    metadata: { name, ...at, annotations },
    spec: {
      source: { registry: { url: `docker://${registry.host}/images/disk:${tag}`, secretRef: 'login', ...more } },
      storage: { resources: { requests: { storage: '16Mi' } } },
    },
  });

describe('a DataVolume from a registry', () => {
  it.each<[string, string, Source]>([
    ['raw', 'raw', {}],
    ['converted', 'qcow2', { pullMethod: 'node' }],
    ['pull-secret', 'raw', { secretRef: 'pull', pullMethod: 'pod' }],
    ['other-machine', 'many', { platform: { architecture: 'arm64' } }],
  ])('%s: has the disk of the image', async (name, tag, more) => {
    await create(name, tag, more);
    await until(async () => {
      const { status } = await cluster.admin.of(DataVolume).get(name, at);
      return status?.phase === 'Succeeded' || undefined;
    });
    expect(await readdir(await pathOf(name))).toEqual(['disk.img']);
    const disk = await readFile(join(await pathOf(name), 'disk.img'));
    expect(disk).toHaveLength(16 * MIB);
    expect(disk.subarray(0, DISK.length).equals(DISK)).toBe(true);
  });

  it('is filled from what the node has: pulled for another one, below the home, or of its own', async () => {
    const local = join(cluster.directory, '../images/team/golden');
    await mkdir(local, { recursive: true });
    await writeFile(join(local, 'disk.raw'), DISK);
    const layers = () => registry.requests.filter((each) => each.includes('/blobs/')).length;
    const firstBytes = async (name: string): Promise<Buffer> =>
      (await readFile(join(await pathOf(name), 'disk.img'))).subarray(0, DISK.length);
    const filled = async (name: string, tag: string, more: Source): Promise<void> => {
      await create(name, tag, more);
      await cluster.claimUntil(name, (each) => note(each, names.POD_PHASE) === 'Succeeded');
    };
    await filled('kept', 'raw', { pullMethod: 'node' });
    const asked = layers();
    await filled('kept-again', 'raw', { pullMethod: 'node' });
    expect(layers()).toBe(asked);
    await filled('golden', '', { url: 'docker://team/golden', secretRef: undefined });
    for (const name of ['kept-again', 'golden']) expect((await firstBytes(name)).equals(DISK)).toBe(true);
    await filled('sector', '', { url: 'docker://vireo/boot-sector', secretRef: undefined });
    expect((await firstBytes('sector')).subarray(0, 512)).toEqual(bootSectorDisk().subarray(0, 512));
  });

  it.each([
    ['fitted-large', 'large', 17],
    ['fitted-small', 'raw', 16],
  ])('%s: a claim that may grow to its image, %s, has %i MiB', async (name, tag, mebibytes) => {
    await create(name, tag, { pullMethod: 'node' }, { [names.FITTED]: 'true' });
    const claim = await cluster.claimUntil(name, (each) => note(each, names.POD_PHASE) === 'Succeeded');
    expect(claim.status?.capacity).toEqual({ storage: `${mebibytes}Mi` });
  });

  it.each<[string, string, Source, RegExp]>([
    [
      'not-ours',
      '',
      { url: 'docker://vireo/none' },
      /image "vireo\/none" is not in the local store; it has: vireo\/guest/,
    ],
    ['kept-no-disk', 'none', { pullMethod: 'node' }, /no (file|disk)/i],
    ['kept-large', 'large', { pullMethod: 'node' }, /does not fit: its disk is 17 MiB, but the claim is only 16 MiB/],
    ['kept-bad-secret', 'many', { pullMethod: 'node', secretRef: 'odd' }, /Secret odd has neither/],
    ['no-disk', 'none', {}, /no (file|disk)/i],
    ['too-large', 'large', {}, /does not fit: its disk is 17 MiB, but the claim is only 16 MiB/],
    ['far-too-large', 'huge', {}, /does not fit: its disk is larger than the 16 MiB of the claim/],
    ['bad-secret', 'raw', { secretRef: 'odd' }, /Secret odd has neither accessKeyId and secretKey nor/],
    ['archive', '', { url: 'oci-archive:///etc/passwd' }, /expected docker:\/\/ and the name of an image/],
    ['bad-name', '', { url: 'docker://Not A Name' }, /Not A Name/],
  ])('%s: fails for good, and says why', async (name, tag, more, message) => {
    await create(name, tag, more);
    const claim = await cluster.claimUntil(name, (each) => note(each, names.IMPORT_FATAL) === 'true');
    expect(note(claim, names.RUNNING_MESSAGE)).toMatch(message);
    expect(await readdir(await pathOf(name))).toEqual(['disk.img']);
  });

  it('whose registry does not let it in is tried again', async () => {
    await create('stranger', 'raw', { secretRef: undefined });
    const claim = await cluster.claimUntil('stranger', (each) => note(each, names.POD_RESTARTS) === '1');
    expect(note(claim, names.IMPORT_FATAL)).toBeUndefined();
    expect(note(claim, names.RUNNING_MESSAGE)).toContain(registry.host);
  });
});

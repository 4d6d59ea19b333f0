import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { BOOT_SECTOR_IMAGE, ImageStore } from './images.ts';
import { type PrepareContext, prepareVolumes } from './prepare.ts';

let home: string;
let context: PrepareContext;

beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-disks-'));
  context = {
    directory: join(home, 'vmi'),
    images: new ImageStore({ directory: join(home, 'images'), cache: join(home, 'cache'), log: () => {} }),
    volumes: {
      claimDisk: async (_, claim) => ({ kind: 'file', path: `/claims/${claim}`, format: 'raw', directIo: true }),
    },
    isAttached: () => true,
    readConfigMap: async (name) => {
      if (name !== 'known') throw new Error(`configmaps "${name}" not found`);
      return { 'a.txt': Buffer.from('from a map'), 'Autounattend.xml': Buffer.from('<answers/>') };
    },
    readSecret: async (name) => {
      if (name !== 'known') throw new Error(`secrets "${name}" not found`);
      return { userdata: Buffer.from('#cloud-config\n# from a secret') };
    },
    readServiceAccount: async (name) => {
      if (name !== 'known') throw new Error(`serviceaccounts "${name}" not found`);
      return { token: Buffer.from('a token') };
    },
  };
});
afterEach(() => rm(home, { recursive: true, force: true }));

const prepared = async (volume: Volume) => {
  const sources = await prepareVolumes(vmiIn('Scheduling', {}, { volumes: [volume] }), context);
  const source = sources[volume.name];
  if (!source) throw new Error('there is no disk');
  return source;
};
const QCOW2 = 'QFI\xfb';

describe('disks', () => {
  it('what a guest writes to a container disk goes into its own file', async () => {
    const image = await context.images.resolve(BOOT_SECTOR_IMAGE);
    const before = await readFile(image.path);
    const source = await prepared({ name: 'root', containerDisk: { image: `${BOOT_SECTOR_IMAGE}:latest` } });
    expect(source).toMatchObject({ kind: 'file', format: 'qcow2', path: join(context.directory, 'root.qcow2') });
    const overlay = await readFile(source.path, 'latin1');
    expect(overlay.startsWith(QCOW2)).toBe(true);
    expect(overlay).toContain(image.path);
    expect(await readFile(image.path)).toEqual(before);
  });

  it('a disk that is there is kept', async () => {
    const volume: Volume = { name: 'scratch', emptyDisk: { capacity: '1Mi' } };
    const { path } = await prepared(volume);
    await writeFile(path, 'what the guest wrote');
    await prepared(volume);
    expect(await readFile(path, 'utf8')).toBe('what the guest wrote');
  });

  it.each<[string, Volume, label: string]>([
    ['NoCloud', { name: 'ci', cloudInitNoCloud: { userData: 'given as text' } }, 'cidata'],
    ['NoCloud', { name: 'ci', cloudInitNoCloud: { userDataBase64: btoa('given as text') } }, 'cidata'],
    ['config drive', { name: 'ci', cloudInitConfigDrive: { userData: 'given as text' } }, 'config-2'],
  ])('%s: a disc with the data', async (_, volume, label) => {
    const source = await prepared(volume);
    expect(source).toMatchObject({ format: 'raw', readOnly: true });
    const disc = await readFile(source.path, 'latin1');
    expect(disc).toContain('given as text');
    expect(disc.toLowerCase()).toContain(label);
  });

  it('data from a Secret', async () => {
    const { path } = await prepared({ name: 'ci', cloudInitNoCloud: { secretRef: { name: 'known' } } });
    expect(await readFile(path, 'latin1')).toContain('# from a secret');
  });

  it.each<[string, Volume, label: string, content: string]>([
    ['a ConfigMap', { name: 'v', configMap: { name: 'known' } }, 'cfgdata', 'from a map'],
    ['a Secret', { name: 'v', secret: { secretName: 'known', volumeLabel: 'hush' } }, 'hush', '# from a secret'],
    ['an account', { name: 'v', serviceAccount: { serviceAccountName: 'known' } }, 'cfgdata', 'a token'],
    ['answers for Windows', { name: 'v', sysprep: { configMap: { name: 'known' } } }, 'sysprep', '<answers/>'],
    ['nothing that is optional', { name: 'v', configMap: { name: 'lost', optional: true } }, 'cfgdata', ''],
    [
      'the VM itself',
      { name: 'v', downwardAPI: { fields: [{ path: 'me/name', fieldRef: { fieldPath: 'metadata.name' } }] } },
      'cfgdata',
      'web',
    ],
  ])('%s is a disc', async (_, volume, label, content) => {
    const source = await prepared(volume);
    expect(source).toMatchObject({ readOnly: true, format: 'raw' });
    const disc = await readFile(source.path, 'latin1');
    expect(disc.toLowerCase()).toContain(label);
    expect(disc).toContain(content);
  });

  it('a disk of the host is used, or made where that is asked for', async () => {
    const path = join(home, 'host.img');
    const volume: Volume = { name: 'v', hostDisk: { path, type: 'DiskOrCreate', capacity: '2Mi' } };
    expect(await prepared(volume)).toMatchObject({ path, format: 'raw' });
    expect((await readFile(path)).length).toBe(2 << 20);
    await writeFile(path, 'kept');
    await prepared(volume);
    expect(await readFile(path, 'utf8')).toBe('kept');
  });

  it('an ephemeral claim is only read: what the guest writes goes into its own file', async () => {
    const base = join(home, 'claim.img');
    await writeFile(base, Buffer.alloc(1 << 20, 'x'));
    const asked: unknown[] = [];
    context = {
      ...context,
      volumes: {
        claimDisk: async (_, claim, use) => {
          asked.push([claim, use.isReadOnly]);
          return { kind: 'file', path: base, format: 'raw', directIo: false };
        },
      },
    };
    const source = await prepared({ name: 'v', ephemeral: { persistentVolumeClaim: { claimName: 'golden' } } });
    expect(source).toMatchObject({ format: 'qcow2', path: join(context.directory, 'v.qcow2') });
    expect(asked).toEqual([['golden', true]]);
    expect(await readFile(source.path, 'latin1')).toContain(base);
  });

  it.each<[string, Volume, reason: string, message: RegExp]>([
    [
      'an image',
      { name: 'v', containerDisk: { image: 'vireo/such' } },
      'ErrImagePull',
      /"vireo\/such" is not in the local store/,
    ],
    [
      'a path for an image',
      { name: 'v', containerDisk: { image: '../../etc/passwd' } },
      'InvalidImageName',
      /is not a valid image reference/,
    ],
    ['a path for a name', { name: '../v', emptyDisk: { capacity: '1Mi' } }, 'CreateContainerConfigError', /"\.\.\/v"/],
    [
      'a Secret',
      { name: 'v', cloudInitNoCloud: { secretRef: { name: 'lost' } } },
      'CreateContainerConfigError',
      /volume "v": secrets "lost" not found/,
    ],
    [
      'an enormous disk',
      { name: 'v', emptyDisk: { capacity: '3Pi' } },
      'CreateContainerConfigError',
      /volume "v": a disk of \d+ bytes is too large/,
    ],
    [
      'a disk of the host',
      { name: 'v', hostDisk: { path: '/x/y', type: 'Disk' } },
      'CreateContainerConfigError',
      /no disk at \/x\/y/,
    ],
    [
      'a path with tricks',
      { name: 'v', hostDisk: { path: '/x/../etc/shadow', type: 'Disk' } },
      'CreateContainerConfigError',
      /must be an absolute path/,
    ],
    [
      'a file with tricks',
      { name: 'v', downwardAPI: { fields: [{ path: '../x', fieldRef: { fieldPath: 'metadata.uid' } }] } },
      'CreateContainerConfigError',
      /"\.\.\/x" is not a valid file path/,
    ],
    [
      'an account',
      { name: 'v', serviceAccount: { serviceAccountName: 'lost' } },
      'CreateContainerConfigError',
      /"lost" not/,
    ],
    ['a ConfigMap', { name: 'v', configMap: { name: 'lost' } }, 'CreateContainerConfigError', /configmaps "lost" not/],
    [
      'answers for Windows',
      { name: 'v', sysprep: { secret: { name: 'known' } } },
      'CreateContainerConfigError',
      /neither autounattend.xml nor unattend.xml/,
    ],
    ['a volume of no kind', { name: 'v' }, 'CreateContainerConfigError', /kind nothing/],
  ])('%s that cannot be had is named', async (_, volume, reason, message) => {
    await expect(prepared(volume)).rejects.toMatchObject({ reason, message: expect.stringMatching(message) });
  });
});

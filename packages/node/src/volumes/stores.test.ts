import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { PersistentVolume, StorageClass } from '@vireo/api';
import { SHARED_ID } from '@vireo/api/kinds/core/volumeNames.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SharedDirectory } from './shared/directory.ts';
import type { VolumeStore } from './store.ts';
import { VolumeStores } from './stores.ts';

let home: string;
let root: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'vireo-stores-'));
  root = join(home, 'shared');
  await mkdir(join(root, '.vireo-shared'), { recursive: true });
});
afterEach(() => rm(home, { recursive: true, force: true }));

const storesOf = (node: string): VolumeStores => new VolumeStores(join(home, 'volumes'), join(home, 'kept'), node);
const sharedClass = (id = '0123'): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name: 'shared', annotations: { [SHARED_ID]: id } },
  provisioner: 'vireo.io/shared',
  parameters: { directory: root },
});
const sharedVolume = (): PersistentVolume => ({
  apiVersion: 'v1',
  kind: 'PersistentVolume',
  metadata: { name: 'pvc-a', annotations: { 'pv.kubernetes.io/provisioned-by': 'vireo.io/shared' } },
  spec: {
    local: { path: join(root, 'pvc-a') },
    nodeAffinity: {
      required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'shared.vireo.io/0123', operator: 'Exists' }] }] },
    },
  },
});
const sign = (id: string): Promise<void> => writeFile(join(root, '.vireo-shared/id'), `${id}\n`);

describe.each<[what: string, id: string | undefined, message: string]>([
  ['that is not mounted', undefined, 'is not mounted'],
  ['of another id', '4567', 'is another directory than the one that the StorageClass was made for'],
])('a shared directory %s', (_, id, message) => {
  beforeEach(async () => {
    if (id) await sign(id);
  });

  it.each<[string, (store: VolumeStore) => Promise<unknown>]>([
    ['create', (store) => store.create('pvc-a', 1)],
    ['createDraft', (store) => store.createDraft('pvc-a', 1)],
    ['grow', (store) => store.grow('pvc-a', 1)],
    ['remove', (store) => store.remove('pvc-a')],
    ['discardDraft', (store) => store.discardDraft('pvc-a')],
    ['makeRoot', (store) => store.makeRoot()],
    ['expectSpaceForCopies', (store) => store.expectSpaceForCopies([])],
    ['hasDirectIo', (store) => store.hasDirectIo()],
  ])('%s refuses it and writes nothing', async (_, use) => {
    const stores = storesOf('a');
    await expect(use(stores.ofClass(sharedClass()))).rejects.toThrow(message);
    await expect(use(stores.ofVolume(sharedVolume()))).rejects.toThrow(message);
    expect(await readdir(root)).toEqual(['.vireo-shared']);
  });

  it('is reported as a problem of the node, and not signed', async () => {
    const directory = new SharedDirectory(root, 'a');
    expect(await directory.look('0123')).toEqual({ path: root, problem: expect.stringContaining(message) });
    directory.close();
    expect(await readdir(join(root, '.vireo-shared'))).toEqual(id ? ['id'] : []);
  });
});

it('what a node left unfinished goes when it uses the directory again, and what other nodes make stays', async () => {
  await sign('0123');
  await mkdir(join(root, '.making-a_pvc-old'));
  await mkdir(join(root, '.making-a-b_pvc-new'));
  await mkdir(join(root, '.vireo-shared/snapshots/.removing-a_snapcontent-old'), { recursive: true });
  await storesOf('a').ofClass(sharedClass()).create('pvc-a', 1);
  expect((await readdir(root)).sort()).toEqual(['.making-a-b_pvc-new', '.vireo-shared', 'pvc-a']);
  expect(await readdir(join(root, '.vireo-shared/snapshots'))).toEqual([]);
});

it('a probe of direct I/O that failed is made again', async () => {
  const stores = storesOf('a');
  await expect(stores.hasDirectIo(sharedVolume())).rejects.toThrow('is not mounted');
  await sign('0123');
  expect(await stores.hasDirectIo(sharedVolume())).toBe(await stores.ofVolume(sharedVolume()).hasDirectIo());
});

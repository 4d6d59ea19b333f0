import { mkdir, open, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { ValidatingAdmissionPolicy } from '@vireo/api/kinds/admissionregistration/validatingAdmissionPolicy.ts';
import { ValidatingAdmissionPolicyBinding } from '@vireo/api/kinds/admissionregistration/validatingAdmissionPolicyBinding.ts';
import { BOUND_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { VolumeStore } from '../store.ts';
import { NAMESPACE, NODE, startVolumeCluster, until, type VolumeCluster } from '../testing/cluster.ts';

let cluster: VolumeCluster;
beforeAll(async () => {
  cluster = await startVolumeCluster();
  await cluster.admin.of(StorageClass).create({
    metadata: { name: 'strict' },
    provisioner: 'vireo.io/local',
    parameters: { allowOvercommit: 'false' },
  });
});
afterAll(() => cluster?.close());

const at = { namespace: NAMESPACE };
const MIB = 1024 * 1024;
const claims = () => cluster.admin.of(PersistentVolumeClaim);
const volumes = () => cluster.admin.of(PersistentVolume);
const diskOf = ({ spec }: PersistentVolume): string => join(spec?.local?.path ?? '', 'disk.img');
const gone = (path: string) => until(async () => (await stat(path).catch(() => undefined)) === undefined || undefined);

describe('a claim of the default class', () => {
  it('gets a sparse disk of its size on this node', async () => {
    await cluster.claim('plain', { resources: { requests: { storage: '1500k' } } });
    const volume = await cluster.volumeOf('plain');
    expect(volume).toMatchObject({
      metadata: { annotations: { 'pv.kubernetes.io/provisioned-by': 'vireo.io/local' } },
      spec: {
        accessModes: ['ReadWriteOnce'],
        capacity: { storage: '2Mi' },
        persistentVolumeReclaimPolicy: 'Delete',
        storageClassName: 'local',
        volumeMode: 'Filesystem',
      },
      status: { phase: 'Bound' },
    });
    expect(JSON.stringify(volume.spec?.nodeAffinity)).toContain(`"${NODE}"`);
    const { size, blocks, mode } = await stat(diskOf(volume));
    expect({ size, blocks, mode: mode & 0o777 }).toEqual({ size: 2 * MIB, blocks: 0, mode: 0o600 });
    await cluster.event('plain', 'ProvisioningSucceeded');
  });

  it('loses its disk when it is deleted, and not before', async () => {
    await cluster.claim('brief');
    const volume = await cluster.volumeOf('brief');
    await claims().delete('brief', at);
    await gone(diskOf(volume));
    await until(async () => {
      const { items } = await volumes().list();
      return items.every(({ metadata }) => metadata.name !== volume.metadata.name) || undefined;
    });
  });

  it('is there again for the agent after a restart, with what was on it', async () => {
    await cluster.claim('lasting', { volumeMode: 'Block' });
    const disk = diskOf(await cluster.volumeOf('lasting'));
    const file = await open(disk, 'r+');
    await file.write('data', 4096);
    await file.close();
    // What was cut short is cleared away; what is whole stays.
    await mkdir(join(cluster.directory, '.making-pvc-x'));
    await writeFile(join(cluster.directory, '.making-pvc-x', 'disk.img'), 'half');
    // So is what was made for a claim that has gone since.
    await mkdir(join(cluster.directory, 'pvc-gone'));
    await writeFile(join(cluster.directory, 'pvc-gone', '.draft'), '');
    await cluster.restart();
    expect(await readdir(cluster.directory)).not.toContain('pvc-gone');
    expect((await readFile(disk)).subarray(4096, 4100).toString()).toBe('data');
    expect((await readdir(cluster.directory)).filter((name) => name.startsWith('.'))).toEqual([]);
  });

  it('grows while it keeps its data', async () => {
    await cluster.claim('growing');
    const volume = await cluster.volumeOf('growing');
    await writeFile(diskOf(volume), 'kept', { flag: 'r+' });
    const more = { spec: { resources: { requests: { storage: '40Mi' } } } };
    await claims().patch('growing', more, { ...at, type: 'merge' });
    const claim = await cluster.claimUntil('growing', ({ status }) => status?.capacity?.storage === '40Mi');
    expect((await volumes().get(claim.spec?.volumeName ?? '')).spec?.capacity).toEqual({ storage: '40Mi' });
    expect((await stat(diskOf(volume))).size).toBe(40 * MIB);
    expect((await readFile(diskOf(volume))).subarray(0, 4).toString()).toBe('kept');
    const less = { spec: { resources: { requests: { storage: '20Mi' } } } };
    await expect(claims().patch('growing', less, { ...at, type: 'merge' })).rejects.toThrow(
      /less than status.capacity/,
    );
  });

  it('begins as a copy of another, however large that was', async () => {
    await cluster.claim('original');
    await writeFile(diskOf(await cluster.volumeOf('original')), 'copy me', { flag: 'r+' });
    await cluster.claim('copy', {
      dataSource: { kind: 'PersistentVolumeClaim', name: 'original' },
      resources: { requests: { storage: '20Mi' } },
    });
    const copy = diskOf(await cluster.volumeOf('copy'));
    expect((await readFile(copy)).subarray(0, 7).toString()).toBe('copy me');
    expect((await stat(copy)).size).toBe(20 * MIB);
  });
});

describe('what cannot be had is refused with its cause', () => {
  it.each<[string, Parameters<VolumeCluster['claim']>[1], RegExp]>([
    ['many-writers', { accessModes: ['ReadWriteMany'] }, /ReadWriteMany is not supported.*ReadWriteOnce/],
    ['much-too-large', { resources: { requests: { storage: '9Ei' } } }, /cannot hold a file of .*; request less/],
    [
      'too-large',
      { storageClassName: 'strict', resources: { requests: { storage: '900Ti' } } },
      /not enough space in .*: 900 TiB needed, .* free/,
    ],
    ['selecting', { selector: { matchLabels: { a: 'b' } } }, /spec.selector/],
    [
      'of-nothing',
      { dataSource: { kind: 'PersistentVolumeClaim', name: 'missing' } },
      /source PersistentVolumeClaim shop\/missing does not exist/,
    ],
    [
      'too-small',
      { dataSource: { kind: 'PersistentVolumeClaim', name: 'original' }, resources: { requests: { storage: '1Mi' } } },
      /has 16 MiB, but only 1 MiB was requested: request at least 16Mi/,
    ],
  ])('%s', async (name, spec, message) => {
    await cluster.claim(name, spec);
    expect((await cluster.event(name, 'ProvisioningFailed')).message).toMatch(message);
    // VMs that wait for the claim read it there.
    await until(
      async () => message.test((await claims().get(name, at)).metadata.annotations?.[BOUND_MESSAGE] ?? '') || undefined,
    );
    expect((await claims().get(name, at)).status?.phase).toBe('Pending');
    // It is tried again and again, and each try cleans up after itself.
    await until(async () => !(await readdir(cluster.directory)).some((entry) => entry.startsWith('.')) || undefined);
  });
});

it('a claim that is larger than what is free is bound, with a warning, and so is one that grows to that', async () => {
  const free = vi.spyOn(VolumeStore.prototype, 'freeBytes').mockResolvedValue(60 * MIB);
  try {
    await cluster.claim('thin', { resources: { requests: { storage: '64Mi' } } });
    const volume = await cluster.volumeOf('thin');
    expect((await stat(diskOf(volume))).size).toBe(64 * MIB);
    expect((await cluster.event('thin', 'StorageOvercommitted')).message).toBe(
      `the claim is for 64 MiB, but node ${NODE} has only 60 MiB free: ` +
        'the disk takes space as the guest writes to it, and the guest is paused if the node runs out of space',
    );
    await cluster.claim('grows-thin');
    await cluster.volumeOf('grows-thin');
    const more = { spec: { resources: { requests: { storage: '100Mi' } } } };
    await claims().patch('grows-thin', more, { ...at, type: 'merge' });
    await cluster.claimUntil('grows-thin', ({ status }) => status?.capacity?.storage === '100Mi');
    expect((await cluster.event('grows-thin', 'StorageOvercommitted')).message).toMatch(/is for 100 MiB, but/);
  } finally {
    free.mockRestore();
  }
});

it('a claim of a strict class for which there is no room is not written again when what is free changes', async () => {
  let calls = 0;
  const free = vi.spyOn(VolumeStore.prototype, 'freeBytes').mockImplementation(async () => ++calls * MIB);
  try {
    await cluster.claim('no-room', { storageClassName: 'strict', resources: { requests: { storage: '1Ti' } } });
    expect((await cluster.event('no-room', 'ProvisioningFailed')).message).toMatch(/: 1 TiB needed, \d+ MiB free/);
    const cause = ({ metadata }: PersistentVolumeClaim) => metadata.annotations?.[BOUND_MESSAGE];
    const explained = cause(await cluster.claimUntil('no-room', (claim) => cause(claim) !== undefined));
    expect(explained).toBe(`node ${NODE}: not enough space in ${cluster.directory}: 1 TiB needed, but less is free`);
    let resourceVersion: string | undefined;
    for (const look of ['first', 'second', 'third']) {
      const before = calls;
      const patch = { metadata: { labels: { look } } };
      ({ resourceVersion } = (await claims().patch('no-room', patch, { ...at, type: 'merge' })).metadata);
      await until(async () => calls > before || undefined);
    }
    const now = await claims().get('no-room', at);
    expect([cause(now), now.metadata.resourceVersion]).toEqual([explained, resourceVersion]);
  } finally {
    free.mockRestore();
    await claims().delete('no-room', at);
  }
});

it('a claim that goes before it has a volume leaves no disk behind', async () => {
  const name = 'no-volumes';
  const rules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['persistentvolumes'], operations: ['CREATE'] }];
  const validations = [{ expression: "object.spec.claimRef.name != 'brief-wish'" }];
  await cluster.admin.of(ValidatingAdmissionPolicy).create({
    metadata: { name },
    spec: { failurePolicy: 'Fail', matchConstraints: { resourceRules: rules }, validations },
  });
  await cluster.admin.of(ValidatingAdmissionPolicyBinding).create({
    metadata: { name },
    spec: { policyName: name, validationActions: ['Deny'] },
  });
  try {
    const { metadata } = await cluster.claim('brief-wish');
    const disk = join(cluster.directory, `pvc-${metadata.uid}`, 'disk.img');
    await until(async () => (await stat(disk).catch(() => undefined)) && true);
    await claims().delete('brief-wish', at);
    await gone(disk);
  } finally {
    await cluster.admin.of(ValidatingAdmissionPolicyBinding).delete(name);
    await cluster.admin.of(ValidatingAdmissionPolicy).delete(name);
  }
});

it('a class that waits gives a volume on the node that is chosen, and on no other', async () => {
  await cluster.claim('waiting', { storageClassName: 'local-wait' });
  await cluster.event('waiting', 'WaitForFirstConsumer');
  const select = (node: string) => ({ metadata: { annotations: { 'volume.kubernetes.io/selected-node': node } } });
  await claims().patch('waiting', select('elsewhere'), { ...at, type: 'merge' });
  await cluster.claim('after');
  await cluster.volumeOf('after');
  expect((await claims().get('waiting', at)).spec?.volumeName).toBeUndefined();
  await claims().patch('waiting', select(NODE), { ...at, type: 'merge' });
  await cluster.volumeOf('waiting');
});

it('a volume that is to be retained outlives its claim and its object', async () => {
  await cluster.admin.of(StorageClass).create({
    metadata: { name: 'keep' },
    provisioner: 'vireo.io/local',
    reclaimPolicy: 'Retain',
  });
  await cluster.claim('kept', { storageClassName: 'keep' });
  const volume = await cluster.volumeOf('kept');
  const { name = '' } = volume.metadata;
  await claims().delete('kept', at);
  await until(async () => (await volumes().get(name)).status?.phase === 'Released' || undefined);
  await volumes().delete(name);
  await until(async () => {
    const { items } = await volumes().list();
    return items.every(({ metadata }) => metadata.name !== name) || undefined;
  });
  expect((await stat(diskOf(volume))).size).toBe(16 * MIB);
});

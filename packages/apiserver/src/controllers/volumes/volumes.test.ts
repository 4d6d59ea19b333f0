import { Event, PersistentVolume, PersistentVolumeClaim, Pod, ServiceAccount, StorageClass } from '@vireo/api';
import { PROVISIONED_BY, SELECTED_NODE, STORAGE_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { startVolumeBinder, VOLUME_BINDER_USER } from './binder/index.ts';
import { CLAIM_PROTECTION_USER, startClaimProtection } from './protection/claims.ts';
import { startVolumeProtection, VOLUME_PROTECTION_USER } from './protection/volumes.ts';

let test: TestServer;
const at = { namespace: 'default' };
const claims = () => test.admin.of(PersistentVolumeClaim);
const volumes = () => test.admin.of(PersistentVolume);

beforeEach(async () => {
  test = await startServerInMemory();
  await test.admin.of(ServiceAccount).create({ metadata: { name: 'default', ...at } });
  test.start(VOLUME_BINDER_USER, startVolumeBinder);
  test.start(CLAIM_PROTECTION_USER, startClaimProtection);
  test.start(VOLUME_PROTECTION_USER, startVolumeProtection);
});
afterEach(() => test.stop());

const createClaim = (name: string, spec: object = {}) =>
  claims().create({
    metadata: { name, ...at },
    spec: {
      accessModes: ['ReadWriteOnce'],
      storageClassName: '',
      resources: { requests: { storage: '1Gi' } },
      ...spec,
    },
  });

const createVolume = (name: string, spec: object = {}, annotations: Record<string, string> = {}) =>
  volumes().create({
    metadata: { name, annotations },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: { storage: '2Gi' },
      hostPath: { path: `/volumes/${name}` },
      ...spec,
    },
  });

const claimIn = (name: string, phase: string) =>
  found(async () => {
    const claim = await claims().get(name, at);
    return claim.status?.phase === phase && claim;
  });

const volumeIn = (name: string, phase: string) =>
  found(async () => {
    const volume = await volumes().get(name);
    return volume.status?.phase === phase && volume;
  });

describe('binding', () => {
  it('joins a claim and a volume that was there, and tells both', async () => {
    await createVolume('v');
    await volumeIn('v', 'Available');
    await createClaim('data');
    const claim = await claimIn('data', 'Bound');
    expect(claim.spec?.volumeName).toBe('v');
    expect(claim.status).toMatchObject({ accessModes: ['ReadWriteOnce'], capacity: { storage: '2Gi' } });
    expect(claim.metadata.annotations).toMatchObject({
      'pv.kubernetes.io/bind-completed': 'yes',
      'pv.kubernetes.io/bound-by-controller': 'yes',
    });
    const volume = await volumeIn('v', 'Bound');
    expect(volume.spec?.claimRef).toMatchObject({
      kind: 'PersistentVolumeClaim',
      name: 'data',
      uid: claim.metadata.uid,
    });
  });

  it('joins them when the volume comes last', async () => {
    await createClaim('data');
    await createVolume('v');
    await claimIn('data', 'Bound');
  });

  it('gives one volume to one of two claims', async () => {
    await Promise.all([createClaim('a'), createClaim('b')]);
    await createVolume('v');
    await volumeIn('v', 'Bound');
    await found(async () => (await claims().list(at)).items.some(({ status }) => status?.phase === 'Bound'));
    const bound = (await claims().list(at)).items.filter(({ spec }) => spec?.volumeName);
    expect(bound).toHaveLength(1);
  });

  it('asks the provisioner of the class, and for a class that waits only when a node is chosen', async () => {
    for (const [name, volumeBindingMode] of [
      ['now', 'Immediate'],
      ['later', 'WaitForFirstConsumer'],
    ] as const)
      await test.admin.of(StorageClass).create({
        metadata: { name },
        provisioner: 'example.com/disks',
        volumeBindingMode,
      });
    await createClaim('a', { storageClassName: 'now' });
    await createClaim('b', { storageClassName: 'later' });
    const asked = (name: string) =>
      found(async () => (await claims().get(name, at)).metadata.annotations?.[STORAGE_PROVISIONER]);
    expect(await asked('a')).toBe('example.com/disks');
    const reasons = () =>
      test.admin
        .of(Event)
        .list(at)
        .then(({ items }) => items.map(({ involvedObject, reason }) => `${involvedObject.name} ${reason}`));
    await found(async () => (await reasons()).includes('b WaitForFirstConsumer'));
    expect(await reasons()).toContain('a ExternalProvisioning');
    expect((await claims().get('b', at)).metadata.annotations?.[STORAGE_PROVISIONER]).toBeUndefined();
    await claims().patch('b', { metadata: { annotations: { [SELECTED_NODE]: 'n1' } } }, { ...at, type: 'merge' });
    expect(await asked('b')).toBe('example.com/disks');
  });

  it('releases the volume of a claim that went, and loses a claim whose volume went', async () => {
    await createVolume('v', {}, { [PROVISIONED_BY]: 'example.com/disks' });
    await createClaim('data');
    await claimIn('data', 'Bound');
    await claims().delete('data', at);
    await gone(() => claims().get('data', at));
    await volumeIn('v', 'Released');

    await createVolume('w', { capacity: { storage: '3Gi' } });
    await createClaim('other', { resources: { requests: { storage: '3Gi' } } });
    await claimIn('other', 'Bound');
    // Only force takes a bound volume away: its protection has to be removed by hand.
    await volumes().delete('w');
    await volumes().patch('w', { metadata: { finalizers: null } }, { type: 'merge' });
    await claimIn('other', 'Lost');
  });
});

describe('protection', () => {
  it('keeps a claim while a pod on a node uses it', async () => {
    await createClaim('data');
    await test.admin.of(Pod).create({
      metadata: { name: 'user', ...at },
      spec: {
        nodeName: 'n1',
        containers: [{ name: 'c', image: 'i' }],
        volumes: [{ name: 'v', persistentVolumeClaim: { claimName: 'data' } }],
      },
    });
    await claims().delete('data', at);
    await createClaim('free');
    await claims().delete('free', at);
    await gone(() => claims().get('free', at));
    expect((await claims().get('data', at)).metadata.deletionTimestamp).toBeDefined();
    await test.admin.of(Pod).delete('user', { ...at, gracePeriodSeconds: 0 });
    await gone(() => claims().get('data', at));
  });

  it('keeps a bound volume until its claim is gone', async () => {
    await createVolume('v');
    await createClaim('data');
    await claimIn('data', 'Bound');
    await volumes().delete('v');
    await createVolume('free');
    await volumes().delete('free');
    await gone(() => volumes().get('free'));
    expect((await volumes().get('v')).metadata.deletionTimestamp).toBeDefined();
    await claims().delete('data', at);
    await gone(() => volumes().get('v'));
  });
});

import { PersistentVolume, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { ignoreAlreadyExists } from '@vireo/kube';
import { expect, vi } from 'vitest';
import { at, type ContractCase, type ContractContext } from './case.ts';

const CLASS = 'contract';
const DRIVER = 'contract.example.org';
const SIZE = { storage: '1Gi' };

const claims = ({ client }: ContractContext) => client.of(PersistentVolumeClaim);

/** The class that the claims here are of; `other`: one that nobody keeps snapshots of. */
async function classes({ client }: ContractContext): Promise<void> {
  for (const [name, provisioner] of [
    [CLASS, DRIVER],
    ['other', 'other.example.org'],
  ] as const)
    await client
      .of(StorageClass)
      .create({ metadata: { name }, provisioner, allowVolumeExpansion: true })
      .catch(ignoreAlreadyExists);
  const kept = { metadata: { name: CLASS }, driver: DRIVER, deletionPolicy: 'Delete' as const };
  await client.of(VolumeSnapshotClass).create(kept).catch(ignoreAlreadyExists);
}

/** A volume on node `n1` for the claim, which is then bound to it. */
export async function boundClaim(
  name: string,
  context: ContractContext,
  { storageClassName = CLASS, ...metadata }: { storageClassName?: string; annotations?: Record<string, string> } = {},
): Promise<void> {
  await classes(context);
  const hostname = { key: 'kubernetes.io/hostname', operator: 'In', values: ['n1'] };
  await context.client.of(PersistentVolume).create({
    metadata: { name },
    spec: {
      accessModes: ['ReadWriteOnce'],
      capacity: SIZE,
      storageClassName,
      local: { path: '/x' },
      // Claims that other cases have left are looking for a volume, too.
      claimRef: { ...at, name },
      nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [hostname] }] } },
    },
  });
  await claims(context).create({
    metadata: { name, ...at, ...metadata },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName, volumeName: name, resources: { requests: SIZE } },
  });
  // The server's own controllers bind it: whatever is written before they have, they would undo.
  await vi.waitFor(
    async () => {
      expect((await claims(context).get(name, at)).status).toMatchObject({ phase: 'Bound', capacity: SIZE });
      expect((await context.client.of(PersistentVolume).get(name)).status?.phase).toBe('Bound');
    },
    { interval: 5 },
  );
}

/** One that nothing gives a volume. */
const createPendingClaim = async (name: string, context: ContractContext) => {
  await classes(context);
  await claims(context).create({
    metadata: { name, ...at },
    spec: { accessModes: ['ReadWriteOnce'], storageClassName: CLASS, resources: { requests: SIZE } },
  });
};

/** Whose volume does not become what is asked for. */
const createExpandingClaim = async (name: string, context: ContractContext) => {
  await boundClaim(name, context);
  const spec = { resources: { requests: { storage: '5Gi' } } };
  await claims(context).patch(name, { spec }, { ...at, type: 'merge' });
};

const inUse = async (name: string, context: ContractContext) => {
  await boundClaim(name, context);
  const disks = [{ name: 'root', disk: { bus: 'virtio' } }];
  await context.vms.createVmi(
    name,
    {},
    {
      spec: {
        domain: { devices: { disks }, memory: { guest: '64Mi' } },
        volumes: [{ name: 'root', persistentVolumeClaim: { claimName: name } }],
      },
    },
  );
};

const copyOf = (name: string): string => `${name}-copy`;

const snapshotReady =
  (readyToUse: boolean, driver = DRIVER) =>
  async (name: string, { client, ...context }: ContractContext) => {
    await classes({ client, ...context });
    const ref = { name, ...at };
    const content = await client.of(VolumeSnapshotContent).create({
      metadata: { name },
      spec: { deletionPolicy: 'Retain', driver, source: { volumeHandle: 'v' }, volumeSnapshotRef: ref },
    });
    await client.of(VolumeSnapshot).create({
      metadata: { ...ref, annotations: { 'harvesterhci.io/storageClassName': CLASS } },
      spec: { source: { persistentVolumeClaimName: 'gone' } },
    });
    const status = { readyToUse, restoreSize: '2Gi', boundVolumeSnapshotContentName: content.metadata.name };
    await client.of(VolumeSnapshot).patchStatus(name, { status }, { ...at, type: 'merge' });
  };

const of = (action: string): string => `persistentvolumeclaims/${action}`;
const exported = (name: string) => ({ displayName: name, namespace: 'default', storageClassName: CLASS });
const restored = (name: string) => ({ name: copyOf(name) });
const migrated = (name: string) => ({ targetVolumeName: copyOf(name), targetStorageClassName: 'other' });

/** Actions on claims and on snapshots of volumes. */
export const CLAIM_CASES: readonly ContractCase[] = [
  {
    action: of('clone'),
    is: 'success',
    given: boundClaim,
    body: restored,
    expect: { status: 204 },
    after: async (name, context) => {
      const { spec } = await claims(context).get(copyOf(name), at);
      expect(spec).toMatchObject({
        storageClassName: CLASS,
        accessModes: ['ReadWriteOnce'],
        resources: { requests: SIZE },
        dataSource: { kind: 'PersistentVolumeClaim', name },
      });
    },
  },
  {
    action: of('clone'),
    is: 'wrong state',
    given: createPendingClaim,
    body: restored,
    expect: { status: 409, message: 'it is Pending; wait until it is Bound' },
  },
  {
    action: of('clone'),
    is: 'wrong state',
    when: 'a VM uses it',
    given: inUse,
    body: restored,
    expect: { status: 409, message: 'uses it: stop the VM first' },
  },
  {
    action: of('clone'),
    is: 'wrong state',
    when: 'the name is taken',
    given: boundClaim,
    body: (name: string) => ({ name }),
    expect: { status: 409, message: 'already exists' },
  },
  {
    action: of('clone'),
    is: 'bad body',
    given: boundClaim,
    body: { name: 'No Name' },
    expect: { status: 422, message: 'metadata.name' },
  },
  {
    action: of('dataMigration'),
    is: 'success',
    given: boundClaim,
    body: migrated,
    expect: { status: 204 },
    after: async (name, { client }) => {
      expect((await client.of(DataVolume).get(copyOf(name), at)).spec).toMatchObject({
        source: { pvc: { name, namespace: 'default' } },
        storage: { storageClassName: 'other', resources: { requests: SIZE } },
      });
    },
  },
  {
    action: of('dataMigration'),
    is: 'wrong state',
    when: 'a VM uses it',
    given: inUse,
    body: migrated,
    expect: { status: 409, message: 'uses it: stop the VM first, or call storageMigration on the VM' },
  },
  {
    action: of('dataMigration'),
    is: 'wrong state',
    when: 'the name is taken',
    given: boundClaim,
    body: (name: string) => ({ ...migrated(name), targetVolumeName: name }),
    expect: { status: 409, message: 'it exists already; choose another name' },
  },
  {
    action: of('dataMigration'),
    is: 'bad body',
    when: 'there is no such class',
    given: boundClaim,
    body: (name: string) => ({ ...migrated(name), targetStorageClassName: 'none' }),
    expect: { status: 422, message: 'targetStorageClassName: Not found: "none"' },
  },
  {
    action: of('export'),
    is: 'success',
    given: boundClaim,
    body: exported,
    expect: {
      status: 200,
      response: { kind: 'VirtualMachineImage', spec: { sourceType: 'export-from-volume', pvcNamespace: 'default' } },
    },
    after: async (name, { client }) => {
      const { items } = await client.of(VirtualMachineImage).list(at);
      const image = items.find(({ spec }) => spec.pvcName === name);
      expect(image?.metadata.name).toMatch(/^image-/);
      expect(image?.spec).toMatchObject({ displayName: name, targetStorageClassName: CLASS });
      expect(image?.metadata.labels).toEqual({ 'harvesterhci.io/imageDisplayName': name });
    },
  },
  {
    action: of('export'),
    is: 'wrong state',
    given: createPendingClaim,
    body: exported,
    expect: { status: 409, message: 'it is Pending' },
  },
  {
    action: of('export'),
    is: 'wrong state',
    when: 'a VM uses it',
    given: inUse,
    body: exported,
    expect: { status: 409, message: 'uses it: stop the VM first' },
  },
  {
    action: of('export'),
    is: 'bad body',
    when: 'there is no such class',
    given: boundClaim,
    body: { displayName: 'x', namespace: 'default', storageClassName: 'none' },
    expect: { status: 422, message: 'storageClassName' },
  },
  {
    action: of('snapshot'),
    is: 'success',
    given: boundClaim,
    body: restored,
    expect: { status: 204 },
    after: async (name, { client }) => {
      const { metadata, spec } = await client.of(VolumeSnapshot).get(copyOf(name), at);
      expect(spec).toEqual({ volumeSnapshotClassName: CLASS, source: { persistentVolumeClaimName: name } });
      expect(metadata.annotations).toEqual({
        'harvesterhci.io/storageClassName': CLASS,
        'harvesterhci.io/storageProvisioner': DRIVER,
      });
      expect(metadata.ownerReferences).toMatchObject([{ kind: 'PersistentVolumeClaim', name }]);
    },
  },
  {
    action: of('snapshot'),
    is: 'wrong state',
    given: createPendingClaim,
    body: restored,
    expect: { status: 409, message: 'it is Pending' },
  },
  {
    action: of('snapshot'),
    is: 'wrong state',
    when: 'nobody keeps snapshots of it',
    given: (name, context) => boundClaim(name, context, { storageClassName: 'other' }),
    body: restored,
    expect: { status: 409, message: 'no VolumeSnapshotClass supports volumes of storage class "other"' },
  },
  {
    action: of('cancelExpand'),
    is: 'success',
    given: createExpandingClaim,
    expect: { status: 204 },
    after: async (name, context) => {
      expect((await claims(context).get(name, at)).spec?.resources?.requests).toEqual(SIZE);
    },
  },
  {
    action: of('cancelExpand'),
    is: 'wrong state',
    given: boundClaim,
    expect: { status: 409, message: 'there is nothing to cancel' },
  },
  {
    action: 'volumesnapshots/restore',
    is: 'success',
    given: snapshotReady(true),
    body: restored,
    expect: { status: 204 },
    after: async (name, context) => {
      const { spec } = await claims(context).get(copyOf(name), at);
      expect(spec).toMatchObject({
        storageClassName: CLASS,
        resources: { requests: { storage: '2Gi' } },
        dataSource: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name },
      });
    },
  },
  {
    action: 'volumesnapshots/restore',
    is: 'wrong state',
    given: snapshotReady(false),
    body: restored,
    expect: { status: 409, message: 'it is not ready to use yet' },
  },
  {
    action: 'volumesnapshots/restore',
    is: 'bad body',
    when: 'the class is of another driver',
    given: snapshotReady(true),
    body: { name: 'x', storageClassName: 'other' },
    expect: { status: 422, message: 'the provisioner of other is other.example.org, but the snapshot belongs to' },
  },
  {
    action: 'volumesnapshots/restore',
    is: 'bad body',
    when: 'there is no such class',
    given: snapshotReady(true),
    body: { name: 'x', storageClassName: 'none' },
    expect: { status: 422, message: 'storageClassName' },
  },
];

import type { Infer, Persisted, PersistentVolumeClaim } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { IMAGE_ID, STORAGE_CLASS_NAME, STORAGE_PROVISIONER_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotClass } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotClass.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client, Draft } from '@vireo/kube';
import { harvesterAction } from '../action.ts';
import { claimConflict, expectWhole, findStorageClass, isExpanding, isWhole } from './states.ts';

const SnapshotVolumeInput = struct(
  'io.harvesterhci.v1beta1.SnapshotVolumeInput',
  'Options for a snapshot of a claim.',
  {
    name: required(string, 'Name of the snapshot, in the same namespace.'),
  },
);
interface SnapshotVolumeInput extends Infer<typeof SnapshotVolumeInput> {}

export const snapshot = harvesterAction('persistentvolumeclaims')<SnapshotVolumeInput>({
  name: 'snapshot',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a VolumeSnapshot of the claim.',
  body: SnapshotVolumeInput,
  needs: [
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list'] },
    { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotclasses'], verbs: ['list'] },
    { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshots'], verbs: ['create'] },
  ],
  isListed: async ({ object }, { client }) =>
    isWhole(object) && !isExpanding(object) && (await snapshotClassOf(client, object)) !== undefined,
  decide({ object }, { body }) {
    expectWhole(object);
    return {
      type: 'lookup',
      async decide({ client }) {
        const snapshotClass = await snapshotClassOf(client, object);
        if (snapshotClass)
          return { type: 'create', kind: VolumeSnapshot, object: snapshotOf(object, body.name, snapshotClass) };
        const className = object.spec?.storageClassName ?? '';
        throw claimConflict(object, `no VolumeSnapshotClass supports volumes of storage class "${className}"`);
      },
    };
  },
});

function snapshotOf(
  { metadata: { name, namespace, uid, annotations = {} }, spec }: Persisted<PersistentVolumeClaim>,
  snapshotName: string,
  snapshotClass: VolumeSnapshotClass,
): Draft<VolumeSnapshot> {
  const image = annotations[IMAGE_ID];
  return {
    metadata: {
      name: snapshotName,
      namespace,
      annotations: {
        [STORAGE_CLASS_NAME]: spec?.storageClassName ?? '',
        [STORAGE_PROVISIONER_NAME]: snapshotClass.driver,
        ...(image && { [IMAGE_ID]: image }),
      },
      ownerReferences: [{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', name, uid }],
    },
    spec: { volumeSnapshotClassName: snapshotClass.metadata.name, source: { persistentVolumeClaimName: name } },
  };
}

/** The VolumeSnapshotClass for the volumes of the claim, if their storage supports snapshots. */
async function snapshotClassOf(
  client: Client,
  { spec }: PersistentVolumeClaim,
): Promise<VolumeSnapshotClass | undefined> {
  if (!spec?.storageClassName) return undefined;
  const storageClass = await findStorageClass(client, spec.storageClassName);
  const { items } = await client.of(VolumeSnapshotClass).list();
  return items.find(({ driver }) => driver === storageClass?.provisioner);
}

import { ApiError, conflict, type Infer, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { IMAGE_ID, STORAGE_CLASS_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client, Draft } from '@vireo/kube';
import { harvesterAction } from '../action.ts';
import { unknownClass } from '../pvc/export.ts';
import { findStorageClass } from '../pvc/states.ts';

const RestoreSnapshotInput = struct(
  'io.harvesterhci.v1beta1.RestoreSnapshotInput',
  'Options for restoring a snapshot.',
  {
    name: required(string, 'Name of the new claim, in the same namespace.'),
    storageClassName: optional(string, "Storage class of the new claim. Defaults to that of the snapshot's source."),
  },
);
interface RestoreSnapshotInput extends Infer<typeof RestoreSnapshotInput> {}

const isReady = ({ status }: VolumeSnapshot): boolean => status?.readyToUse === true;

export const restore = harvesterAction('volumesnapshots')<RestoreSnapshotInput>({
  name: 'restore',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a claim from the snapshot.',
  body: RestoreSnapshotInput,
  needs: [
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list'] },
    { apiGroups: ['snapshot.storage.k8s.io'], resources: ['volumesnapshotcontents'], verbs: ['get'] },
  ],
  isListed: ({ object }) => isReady(object),
  decide({ object }, { body }) {
    if (!isReady(object)) throw snapshotConflict(object, 'it is not ready to use yet');
    return {
      type: 'lookup',
      decide: async ({ client }) => ({
        type: 'create',
        kind: PersistentVolumeClaim,
        object: await claimFor(client, object, body),
      }),
    };
  },
});

const snapshotConflict = ({ metadata }: Persisted<VolumeSnapshot>, why: string): ApiError =>
  conflict({ group: VolumeSnapshot.group, resource: VolumeSnapshot.plural }, metadata.name, why);

async function claimFor(
  client: Client,
  snapshot: Persisted<VolumeSnapshot>,
  { name, storageClassName }: RestoreSnapshotInput,
): Promise<Draft<PersistentVolumeClaim>> {
  const { metadata, status } = snapshot;
  const source = await sourceOf(client, snapshot);
  const wanted = storageClassName || metadata.annotations?.[STORAGE_CLASS_NAME] || source?.spec?.storageClassName || '';
  const storageClass = await findStorageClass(client, wanted);
  if (!storageClass) throw unknownClass(wanted);
  const content = await client.of(VolumeSnapshotContent).get(status?.boundVolumeSnapshotContentName ?? '');
  if (storageClass.provisioner !== content.spec.driver)
    throw new ApiError(
      'Invalid',
      `storageClassName: the provisioner of ${wanted} is ${storageClass.provisioner}, but the snapshot belongs to ` +
        `${content.spec.driver}; choose a storage class of that provisioner`,
    );
  const image = metadata.annotations?.[IMAGE_ID];
  return {
    metadata: { name, namespace: metadata.namespace, ...(image && { annotations: { [IMAGE_ID]: image } }) },
    spec: {
      // Volumes here have one writer, so that the ReadWriteMany of Harvester cannot be had.
      accessModes: source?.spec?.accessModes ?? ['ReadWriteOnce'],
      volumeMode: source?.spec?.volumeMode ?? 'Block',
      storageClassName: wanted,
      resources: { requests: { storage: status?.restoreSize ?? '' } },
      dataSource: { apiGroup: VolumeSnapshot.group, kind: VolumeSnapshot.kind, name: metadata.name },
    },
  };
}

/** The claim that the snapshot is of, if that is still there. */
async function sourceOf(
  client: Client,
  { metadata, spec }: Persisted<VolumeSnapshot>,
): Promise<PersistentVolumeClaim | undefined> {
  const name = spec.source.persistentVolumeClaimName;
  return name ? client.of(PersistentVolumeClaim).find(name, { namespace: metadata.namespace }) : undefined;
}

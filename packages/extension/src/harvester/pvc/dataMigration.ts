import { conflict, field, type Infer, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { BIND_IMMEDIATE } from '@vireo/api/kinds/cdi/names.ts';
import { required } from '@vireo/api/kinds/customResource.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Client, Draft } from '@vireo/kube';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';
import { expectUnused, expectWhole, findStorageClass, isExpanding, isWhole, LIST_VMIS } from './states.ts';

const DataMigrationInput = struct(
  'io.harvesterhci.v1beta1.DataMigrationInput',
  'Where to copy the data of a claim to.',
  {
    targetVolumeName: required(string, 'Name of the new claim, in the same namespace.'),
    targetStorageClassName: required(string, 'Storage class of the new claim.'),
  },
);
interface DataMigrationInput extends Infer<typeof DataMigrationInput> {}

export const dataMigration = harvesterAction('persistentvolumeclaims')<DataMigrationInput>({
  name: 'dataMigration',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Copies the data of the claim, which no running VM may use, to a new claim of another storage class.',
  body: DataMigrationInput,
  needs: [
    ...LIST_VMIS,
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list'] },
    { apiGroups: [DataVolume.group], resources: [DataVolume.plural], verbs: ['get', 'create'] },
  ],
  isListed: async ({ object }, { client }) =>
    isWhole(object) &&
    !isExpanding(object) &&
    (await expectUnused(client, object, '').then(
      () => true,
      () => false,
    )),
  decide({ object }, { body }) {
    expectWhole(object);
    return {
      type: 'lookup',
      async decide({ client }) {
        await expectFree(client, object, body.targetVolumeName);
        if (!(await findStorageClass(client, body.targetStorageClassName)))
          throw invalidField(field.notFound('targetStorageClassName', body.targetStorageClassName));
        await expectUnused(client, object, 'stop the VM first, or call storageMigration on the VM');
        return { type: 'create', kind: DataVolume, object: copyOf(object, body) };
      },
    };
  },
});

/** A copy must not end in a volume that is there already. */
async function expectFree(client: Client, { metadata }: Persisted<PersistentVolumeClaim>, name: string): Promise<void> {
  for (const kind of [PersistentVolumeClaim, DataVolume])
    if (await client.of(kind).find(name, { namespace: metadata.namespace }))
      throw conflict({ group: kind.group, resource: kind.plural }, name, 'it exists already; choose another name');
}

const copyOf = (
  { metadata, spec, status }: Persisted<PersistentVolumeClaim>,
  { targetVolumeName, targetStorageClassName }: DataMigrationInput,
): Draft<DataVolume> => ({
  metadata: {
    name: targetVolumeName,
    namespace: metadata.namespace,
    // Nobody may use the claim yet, and the copy is wanted all the same.
    annotations: { [BIND_IMMEDIATE]: 'true' },
  },
  spec: {
    source: { pvc: { name: metadata.name, namespace: metadata.namespace ?? '' } },
    storage: {
      storageClassName: targetStorageClassName,
      ...(spec?.volumeMode === 'Block' && { volumeMode: spec.volumeMode }),
      // The volume may be larger than what was asked for.
      resources: { requests: { storage: status?.capacity?.storage ?? spec?.resources?.requests?.storage ?? '' } },
    },
  },
});

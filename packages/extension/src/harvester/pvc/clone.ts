import { type Infer, type Persisted, PersistentVolumeClaim } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { IMAGE_ID } from '@vireo/api/kinds/harvester/names.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Draft } from '@vireo/kube';
import { harvesterAction } from '../action.ts';
import { expectUnused, expectWhole, isExpanding, isWhole, LIST_VMIS } from './states.ts';

const CloneVolumeInput = struct('io.harvesterhci.v1beta1.CloneVolumeInput', 'Options for cloning a claim.', {
  name: required(string, 'Name of the new claim, in the same namespace.'),
});
interface CloneVolumeInput extends Infer<typeof CloneVolumeInput> {}

export const clone = harvesterAction('persistentvolumeclaims')<CloneVolumeInput>({
  name: 'clone',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a claim of the same storage class and size with a copy of the data.',
  body: CloneVolumeInput,
  needs: [...LIST_VMIS, { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['create'] }],
  isListed: ({ object }) => isWhole(object) && !isExpanding(object),
  decide({ object }, { body }) {
    expectWhole(object);
    return {
      type: 'lookup',
      async decide({ client }) {
        await expectUnused(client, object, 'stop the VM first, or take a snapshot and restore it');
        return { type: 'create', kind: PersistentVolumeClaim, object: copyOf(object, body.name) };
      },
    };
  },
});

/** A claim like another, which begins with its data. */
function copyOf(
  { metadata, spec, status }: Persisted<PersistentVolumeClaim>,
  name: string,
): Draft<PersistentVolumeClaim> {
  const image = metadata.annotations?.[IMAGE_ID];
  return {
    metadata: { name, namespace: metadata.namespace, ...(image && { annotations: { [IMAGE_ID]: image } }) },
    spec: {
      accessModes: spec?.accessModes,
      volumeMode: spec?.volumeMode,
      storageClassName: spec?.storageClassName,
      // The volume may be larger than what was asked for.
      resources: { requests: { storage: status?.capacity?.storage ?? spec?.resources?.requests?.storage ?? '' } },
      dataSource: { kind: 'PersistentVolumeClaim', name: metadata.name },
    },
  };
}

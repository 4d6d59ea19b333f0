import { type ApiError, field, type Infer, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { STORAGE_CLASS_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Draft } from '@vireo/kube';
import { objectOf } from '../../actions/answers.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';
import { classNamed, expectUnused, expectWhole, isExpanding, isWhole, LIST_INSTANCES } from './states.ts';

const ExportVolumeInput = struct('io.harvesterhci.v1beta1.ExportVolumeInput', 'How to make an image of a claim.', {
  displayName: required(string, 'How the image is called.'),
  namespace: required(string, 'Where the image is made.'),
  storageClassName: required(string, 'The class of the claim that it is kept on.'),
});
interface ExportVolumeInput extends Infer<typeof ExportVolumeInput> {}

export const exportVolume = harvesterAction('persistentvolumeclaims')<ExportVolumeInput>({
  name: 'export',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Makes an image of the data of the claim, and answers it.',
  answer: { status: 200, schema: objectOf(VirtualMachineImage) },
  body: ExportVolumeInput,
  needs: [
    ...LIST_INSTANCES,
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list'] },
    { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['create'] },
  ],
  offered: ({ object }) => isWhole(object) && !isExpanding(object),
  decide({ object }, { body }) {
    expectWhole(object);
    return {
      type: 'lookup',
      async decide({ client, require }) {
        const { namespace, storageClassName } = body;
        await require({
          group: VirtualMachineImage.group,
          resource: VirtualMachineImage.plural,
          subresource: '',
          verb: 'create',
          namespace,
          name: '',
        });
        if (!(await classNamed(client, storageClassName))) throw unknownClass(storageClassName);
        await expectUnused(client, object, 'stop it first');
        return { type: 'create', kind: VirtualMachineImage, object: imageOf(object, body) };
      },
    };
  },
});

const imageOf = (
  { metadata }: Persisted<PersistentVolumeClaim>,
  { displayName, namespace, storageClassName }: ExportVolumeInput,
): Draft<VirtualMachineImage> => ({
  metadata: { generateName: 'image-', namespace, annotations: { [STORAGE_CLASS_NAME]: storageClassName } },
  spec: {
    displayName,
    sourceType: 'export-from-volume',
    pvcName: metadata.name,
    pvcNamespace: metadata.namespace ?? '',
    targetStorageClassName: storageClassName,
  },
});

/** A class that the input names and that is not there. */
export const unknownClass = (name: string): ApiError => invalidField(field.notFound('storageClassName', name));

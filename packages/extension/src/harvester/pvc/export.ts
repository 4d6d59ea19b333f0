import { type ApiError, field, type Infer, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { STORAGE_CLASS_NAME } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { string, struct } from '@vireo/api/schema.ts';
import type { Draft } from '@vireo/kube';
import { objectOf } from '../../actions/responses.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';
import { expectUnused, expectWhole, findStorageClass, isExpanding, isWhole, LIST_VMIS } from './states.ts';

const ExportVolumeInput = struct(
  'io.harvesterhci.v1beta1.ExportVolumeInput',
  'Options for exporting a claim as an image.',
  {
    displayName: required(string, 'Display name of the image.'),
    namespace: required(string, 'Namespace of the image.'),
    storageClassName: required(string, "Storage class of the image's claim."),
  },
);
interface ExportVolumeInput extends Infer<typeof ExportVolumeInput> {}

export const exportVolume = harvesterAction('persistentvolumeclaims')<ExportVolumeInput>({
  name: 'export',
  method: 'PUT',
  minimumRole: 'edit',
  summary: "Creates an image from the claim's data and returns it.",
  response: { status: 200, schema: objectOf(VirtualMachineImage) },
  body: ExportVolumeInput,
  needs: [
    ...LIST_VMIS,
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['list'] },
    { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['create'] },
  ],
  isListed: ({ object }) => isWhole(object) && !isExpanding(object),
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
        if (!(await findStorageClass(client, storageClassName))) throw unknownClass(storageClassName);
        await expectUnused(client, object, 'stop the VM first');
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

import { controllerReference, type Persisted } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { DataVolumeSourceSpec } from '@vireo/api/kinds/cdi/dataVolumeSource.ts';
import { BIND_IMMEDIATE, FITTED } from '@vireo/api/kinds/cdi/names.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { Draft } from '@vireo/kube';

/** What a volume has that is fitted to its data afterwards. */
const BEFORE_DATA = '1Mi';

/** What an image is kept on: of its name, as large as its data, and gone when it is. Undefined: nothing brings its data. */
export function dataVolumeFor(image: Persisted<VirtualMachineImage>): Draft<DataVolume> | undefined {
  const { metadata, spec } = image;
  const source = sourceOf(spec);
  if (!source) return undefined;
  return {
    apiVersion: `${DataVolume.group}/${DataVolume.version}`,
    kind: DataVolume.kind,
    metadata: {
      name: metadata.name,
      namespace: metadata.namespace,
      // An image is wanted whether or not a VM uses it already.
      annotations: { [FITTED]: 'true', [BIND_IMMEDIATE]: '' },
      ownerReferences: [controllerReference(image, VirtualMachineImage)],
    },
    spec: {
      source,
      storage: {
        ...(spec.targetStorageClassName && { storageClassName: spec.targetStorageClassName }),
        // A copy is as large as what it is of.
        ...(!source.pvc && { resources: { requests: { storage: BEFORE_DATA } } }),
      },
    },
  };
}

function sourceOf(spec: VirtualMachineImage['spec']): DataVolumeSourceSpec | undefined {
  switch (spec.sourceType) {
    case 'download':
      return { http: { url: spec.url ?? '', ...(spec.checksum && { checksum: `sha512:${spec.checksum}` }) } };
    case 'upload':
      return { upload: {} };
    case 'export-from-volume':
      return { pvc: { namespace: spec.pvcNamespace ?? '', name: spec.pvcName ?? '' } };
    default:
      return undefined;
  }
}

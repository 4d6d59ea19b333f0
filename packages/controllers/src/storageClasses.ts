import type { StorageClass } from '@vireo/api';
import { LOCAL_PROVISIONER } from '@vireo/api/kinds/core/volumeNames.ts';

const storageClass = (
  name: string,
  volumeBindingMode: 'Immediate' | 'WaitForFirstConsumer',
  annotations: Record<string, string>,
): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations },
  provisioner: LOCAL_PROVISIONER,
  reclaimPolicy: 'Delete',
  volumeBindingMode,
  allowVolumeExpansion: true,
});

/** Storage on the nodes themselves: at once, which is the default, or on the node that the first pod goes to. */
export const localStorageClasses = (): StorageClass[] => [
  storageClass('local', 'Immediate', { 'storageclass.kubernetes.io/is-default-class': 'true' }),
  storageClass('local-wait', 'WaitForFirstConsumer', {}),
];

import type { PersistentVolumeClaim } from '@vireo/api';
import type { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { BIND_IMMEDIATE, CONTENT_TYPE, UPLOAD_TARGET } from '@vireo/api/kinds/cdi/names.ts';
import type { Draft } from '@vireo/kube';
import type { Upload } from './arguments.ts';

/** Where an image is uploaded to. */
export function uploadDataVolume(upload: Upload, size: string, namespace: string): Draft<DataVolume> {
  return {
    metadata: metadataOf(upload, namespace, upload.forceBind ? { [BIND_IMMEDIATE]: '' } : {}),
    spec: {
      source: { upload: {} },
      contentType: contentType(upload),
      storage: storageOf(upload, size),
    },
  };
}

export function uploadClaim(upload: Upload, size: string, namespace: string): Draft<PersistentVolumeClaim> {
  const { accessModes = ['ReadWriteOnce'], ...storage } = storageOf(upload, size);
  return {
    metadata: metadataOf(upload, namespace, {
      [UPLOAD_TARGET]: '',
      [CONTENT_TYPE]: contentType(upload),
      ...(upload.forceBind && { [BIND_IMMEDIATE]: '' }),
    }),
    spec: { ...storage, accessModes },
  };
}

/** A name for the image that others take VMs from. */
export function uploadDataSource(upload: Upload, namespace: string): Draft<DataSource> {
  return {
    metadata: metadataOf(upload, namespace, {}),
    spec: { source: { pvc: { name: upload.name, namespace } } },
  };
}

const contentType = ({ isArchive }: Upload): string => (isArchive ? 'archive' : 'kubevirt');

const metadataOf = ({ name, labels }: Upload, namespace: string, annotations: Record<string, string>) => ({
  name,
  namespace,
  ...(Object.keys(labels).length > 0 && { labels: { ...labels } }),
  ...(Object.keys(annotations).length > 0 && { annotations }),
});

const storageOf = ({ storageClass, accessMode, volumeMode }: Upload, size: string) => ({
  resources: { requests: { storage: size } },
  ...(storageClass && { storageClassName: storageClass }),
  ...(accessMode && { accessModes: [accessMode] }),
  ...(volumeMode && { volumeMode: volumeMode === 'block' ? ('Block' as const) : ('Filesystem' as const) }),
});

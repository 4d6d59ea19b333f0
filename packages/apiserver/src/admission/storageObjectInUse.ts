import { CLAIM_PROTECTION, VOLUME_PROTECTION } from '@vireo/api/kinds/core/volumeNames.ts';
import type { AdmissionPlugin } from './admission.ts';
import { isAbout } from './refuse.ts';

const FINALIZERS: Readonly<Record<string, string>> = {
  persistentvolumeclaims: CLAIM_PROTECTION,
  persistentvolumes: VOLUME_PROTECTION,
};

/** Claims and volumes stay until nobody uses them: new ones carry the finalizer that sees to it. */
export const storageObjectInUse = (): AdmissionPlugin => ({
  name: 'StorageObjectInUseProtection',
  mutate(request) {
    if (request.operation !== 'CREATE') return;
    for (const [resource, finalizer] of Object.entries(FINALIZERS)) {
      if (!isAbout(request, '', resource)) continue;
      const { metadata } = request.object as { metadata: { finalizers?: string[] } };
      if (!metadata.finalizers?.includes(finalizer)) metadata.finalizers = [...(metadata.finalizers ?? []), finalizer];
    }
  },
});

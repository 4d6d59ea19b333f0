import { PersistentVolume } from '@vireo/api';
import { VOLUME_PROTECTION } from '@vireo/api/kinds/core/volumeNames.ts';
import { type ControllerContext, runController } from '@vireo/kube';

export const VOLUME_PROTECTION_USER = 'system:serviceaccount:kube-system:pv-protection-controller';

/** Lets a volume that was deleted go when no claim is bound to it. */
export async function startVolumeProtection(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const volumes = informers.for(PersistentVolume);
  await runController(
    {
      name: 'pv-protection',
      for: volumes,
      reconcile: async (key) => {
        const volume = volumes.get(key);
        if (!volume?.metadata.deletionTimestamp || volume.status?.phase === 'Bound') return;
        await client.of(PersistentVolume).removeFinalizer(volume, VOLUME_PROTECTION);
      },
    },
    context,
    signal,
  );
}

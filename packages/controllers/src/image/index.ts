import { PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { type ControllerContext, keyOf, runController, systemClock, watch } from '@vireo/kube';
import { imageActions } from './act.ts';
import { reconcileImage } from './reconcile.ts';

/** Brings the data of Harvester's images, each to a claim of its name. */
export async function startImageController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, clock = systemClock } = context;
  const images = informers.for(VirtualMachineImage);
  const dataVolumes = informers.for(DataVolume);
  const claims = informers.for(PersistentVolumeClaim);
  const act = imageActions(client, recorder);
  const imageOf = (claim: PersistentVolumeClaim) => (images.get(keyOf(claim)) ? keyOf(claim) : undefined);

  await runController(
    {
      name: 'image',
      for: images,
      owns: [dataVolumes],
      watches: [
        // One of the same name that is not the image's may have been in the way.
        watch(dataVolumes, { deleted: keyOf }),
        watch(claims, { changed: imageOf }),
      ],
      reconcile: async (key) => {
        const image = images.get(key);
        if (!image) return;
        const now = new Date(clock.now());
        await reconcileImage({ image, dataVolume: dataVolumes.get(key), claim: claims.get(key), now }, act);
      },
    },
    context,
    signal,
  );
}

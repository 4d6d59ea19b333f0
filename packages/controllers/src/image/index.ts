import { changes, isReason, PersistentVolumeClaim } from '@vireo/api';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { isImported, VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { enqueueKey, enqueueOwner, keyOf, runController, systemClock, WorkQueue } from '@vireo/kube';
import type { ControllerContext } from '../context.ts';
import { type ImageActions, reconcileImage } from './reconcile.ts';

/** Brings the data of Harvester's images, each to a claim of its name. */
export async function startImageController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers, recorder, log, metrics, clock = systemClock } = context;
  const images = informers.for(VirtualMachineImage);
  const dataVolumes = informers.for(DataVolume);
  const claims = informers.for(PersistentVolumeClaim);
  const queue = new WorkQueue({ clock });
  images.on(enqueueKey(queue));
  dataVolumes.on(enqueueOwner(queue, VirtualMachineImage));
  // One of the same name that is not the image's may have been in the way.
  dataVolumes.on({ deleted: (dataVolume) => queue.add(keyOf(dataVolume)) });
  const onClaim = (claim: PersistentVolumeClaim): void => {
    if (images.get(keyOf(claim))) queue.add(keyOf(claim));
  };
  claims.on({ added: onClaim, updated: (_, claim) => onClaim(claim) });

  const act: ImageActions = {
    create: (draft) => client.of(DataVolume).create(draft),
    async remove({ metadata: { name = '', namespace, uid } }) {
      await client
        .of(DataVolume)
        .delete(name, { namespace, preconditions: { uid } })
        .catch((error: unknown) => {
          if (!isReason(error, 'NotFound', 'Conflict')) throw error;
        });
    },
    async writeStatus(image, status) {
      const difference = changes(image.status ?? {}, status);
      if (!difference) return;
      const { name = '', namespace, resourceVersion } = image.metadata;
      const patch = { metadata: { resourceVersion }, status: difference };
      const written = await client.of(VirtualMachineImage).patchStatus(name, patch, { namespace, type: 'merge' });
      const failure = status.conditions?.find(({ type, status: is }) => type === 'Imported' && is === 'False');
      const before = image.status?.conditions?.find(({ type }) => type === 'Imported');
      if (isImported(written) && !isImported(image))
        recorder.event(
          image,
          'Normal',
          'Imported',
          `The image is there: claims made from it need ${status.virtualSize} bytes`,
        );
      else if (failure && failure.message !== before?.message)
        recorder.event(image, 'Warning', failure.reason ?? 'ImportFailed', failure.message ?? '');
    },
  };

  await runController(
    {
      name: 'image',
      queue,
      informers: [images, dataVolumes, claims],
      log,
      metrics,
      reconcile: async (key) => {
        const image = images.get(key);
        if (!image) return;
        const now = new Date(clock.now());
        await reconcileImage({ image, dataVolume: dataVolumes.get(key), claim: claims.get(key), now }, act);
      },
    },
    signal,
  );
}

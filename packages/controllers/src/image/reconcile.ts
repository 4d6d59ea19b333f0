import { isControlledBy, isDeleting, isReason, type Persisted } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import type { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { isNamespaceTerminating } from '@vireo/kube';
import type { ImageActions } from './act.ts';
import { dataVolumeFor } from './dataVolume.ts';
import { hasExceededRetries, type ImageData, imageStatus, isRequestChanged } from './status.ts';

/** All that is known of one image. */
export interface ImageState extends Omit<ImageData, 'problem'> {
  readonly image: Persisted<VirtualMachineImage>;
  readonly now: Date;
}

/** Gives an image the DataVolume that brings its data, tells how far that is, and gives up when it failed too often. */
export async function reconcileImage({ image, now, ...data }: ImageState, act: ImageActions): Promise<void> {
  if (isDeleting(image)) return;
  const own = data.dataVolume && isControlledBy(data.dataVolume, image) ? data.dataVolume : undefined;
  if (hasExceededRetries(image)) {
    // What has failed for good stays to be looked at; what would be tried again does not.
    if (own && !isDeleting(own) && own.status?.phase !== 'Failed') await act.remove(own);
    return;
  }
  if (isRequestChanged(image) && own) {
    if (!isDeleting(own)) await act.remove(own);
    return;
  }
  const { dataVolume, problem } = own ? { dataVolume: own } : await provide(image, act);
  const known = { dataVolume, claim: dataVolume && data.claim, problem };
  await act.writeStatus(image, imageStatus(image, known, now));
}

async function provide(
  image: Persisted<VirtualMachineImage>,
  act: ImageActions,
): Promise<{ readonly dataVolume?: Persisted<DataVolume>; readonly problem?: string }> {
  const draft = dataVolumeFor(image);
  if (!draft) return { problem: `Vireo does not support images of sourceType ${image.spec.sourceType}` };
  try {
    return { dataVolume: await act.create(draft) };
  } catch (error) {
    if (isNamespaceTerminating(error)) return {};
    if (isReason(error, 'AlreadyExists'))
      return { problem: `DataVolume ${draft.metadata.name} already exists and is not owned by this image` };
    if (isReason(error, 'Invalid', 'Forbidden')) return { problem: error.message };
    throw error;
  }
}

import { isOciError } from '@vireo/oci';
import { VolumeError } from '../disks/volumeError.ts';

/** An image that cannot be had, in the words that a kubelet has for it. */
export class PullError extends VolumeError {
  readonly image: string;
  constructor(reason: string, image: string, message: string, options?: ErrorOptions) {
    super(reason, message, options);
    this.name = 'PullError';
    this.image = image;
  }
}

export function pullFailure(image: string, error: unknown): VolumeError {
  if (error instanceof VolumeError) return error;
  const cause = error instanceof Error ? error.message : String(error);
  const [reason, message] = isOciError(error, 'InvalidReference')
    ? ['InvalidImageName', `Failed to apply default image tag ${JSON.stringify(image)}: ${cause}`]
    : ['ErrImagePull', `failed to pull image ${JSON.stringify(image)}: ${cause}`];
  return new PullError(reason, image, message, { cause: error });
}

/** The policy forbids to ask for an image that is not here. */
export const neverPulled = (image: string): PullError =>
  new PullError(
    'ErrImageNeverPull',
    image,
    `Container image ${JSON.stringify(image)} is not present with pull policy of Never`,
  );

import type { Pod } from '@vireo/api';
import type { NodeContext } from '../context.ts';
import type { VolumeError } from '../disks/volumeError.ts';
import { buildText, bytesText } from '../images/progressText.ts';
import type { PullObserver } from '../images/pulledImages.ts';
import { PullError } from '../images/pullFailure.ts';
import type { Preparation } from './localVmi.ts';

/** How often a launcher says how far its image is: each time is a write. */
const PROGRESS_MS = 5_000;

/** Reports pulls as kubelets do: events for their beginning and end, and now and then how far they are. */
export function pullEvents(
  pod: Pod,
  preparation: Preparation,
  { recorder, clock }: Pick<NodeContext, 'recorder' | 'clock'>,
  onNews: () => void,
): (image: string) => PullObserver {
  let reportedAtMs = clock.now();
  const reportProgress = (text: string): void => {
    reportedAtMs = clock.now();
    preparation.progress = text;
    onNews();
  };
  const isDue = (): boolean => clock.now() - reportedAtMs >= PROGRESS_MS;
  return (image) => {
    let lastStep: string | undefined;
    const record = (reason: string, message: string): void => {
      preparation.reported.add(image);
      recorder.event(pod, 'Normal', reason, message);
    };
    const name = JSON.stringify(image);
    return {
      onPulling: () => record('Pulling', `Pulling image ${name}`),
      onPresent: () => record('Pulled', `Container image ${name} already present on machine`),
      onPulled: ({ imageBytes, tookMs }) => {
        const took = `${(tookMs / 1000).toFixed(3)}s`;
        record('Pulled', `Successfully pulled image ${name} in ${took}. Image size: ${imageBytes} bytes.`);
      },
      onProgress: ({ doneBytes, totalBytes }) => {
        if (isDue()) reportProgress(`pulling image ${name}: ${bytesText(doneBytes, totalBytes)}`);
      },
      onBuilding: (progress) => {
        // The first step finds out whether there is anything to build.
        if (progress.stepNumber > 1 && preparation.built === undefined) {
          preparation.built = image;
          record('Building', `Building image ${name}`);
        }
        if (progress.step !== lastStep || isDue()) reportProgress(buildText(progress));
        lastStep = progress.step;
      },
    };
  };
}

/** What a launcher says of a volume that cannot be had, and the event for it. */
export interface VolumeFailure {
  readonly waiting: { readonly reason: string; readonly message: string };
  readonly event: { readonly type: 'Normal' | 'Warning'; readonly reason: string; readonly message: string };
}

/** The failure first, and from then on that it is being tried less and less often. */
export function volumeFailure(error: VolumeError, isAgain: boolean): VolumeFailure {
  const { reason, message } = error;
  if (reason === 'ErrImagePull' && isAgain) {
    const backOff = error instanceof PullError ? `Back-off pulling image ${JSON.stringify(error.image)}` : undefined;
    return {
      waiting: { reason: 'ImagePullBackOff', message: backOff ? `${backOff}: ErrImagePull: ${message}` : message },
      event: backOff
        ? { type: 'Normal', reason: 'BackOff', message: backOff }
        : { type: 'Warning', reason: 'Failed', message },
    };
  }
  const event =
    reason === 'ContainerCreating' ? 'FailedMount' : reason === 'InvalidImageName' ? 'InspectFailed' : 'Failed';
  const sentence = `${message.slice(0, 1).toUpperCase()}${message.slice(1)}`;
  return {
    waiting: { reason, message },
    event: { type: 'Warning', reason: event, message: error instanceof PullError ? sentence : message },
  };
}

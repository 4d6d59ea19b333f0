import { isDeleting, type Persisted, Pod, timestamp } from '@vireo/api';
import { POLLER_CONTAINER, type PollRequest, type PollResult, pollRequestOf } from '@vireo/api/kinds/cdi/importCron.ts';
import { type Client, type Informer, ignoreNotFoundOrConflict, type Log, runController } from '@vireo/kube';
import { isOciError, parseReference, RegistryImage } from '@vireo/oci';
import { imageOf, secretCredentials, settingsOf } from '../populate/importImage.ts';

const CONCURRENCY = 4;
const TIMEOUT_MS = 120_000;

/** What polls are carried out with. */
export interface PollParts {
  /** Reads what the poller pods name, and reports on them. */
  readonly kubelet: Client;
  /** The poller pods of this node. */
  readonly pods: Informer<Pod>;
  /** What the owner of this host says about registries: a file. */
  readonly registries: string;
  readonly log: Log;
}

/** Tells the poller pods on this node which digests their images have. */
export function runPolls({ kubelet, pods, registries, log }: PollParts, signal: AbortSignal): Promise<void> {
  return runController(
    {
      name: 'poller',
      concurrency: CONCURRENCY,
      for: pods,
      reconcile: async (key) => {
        const pod = pods.get(key);
        const request = pod && pollRequestOf(pod);
        if (!pod || !request || isDeleting(pod) || isOver(pod)) return;
        const parts = { kubelet, registries, namespace: pod.metadata.namespace ?? '' };
        const result = await poll(request, parts, AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]));
        // Whoever comes after this agent polls again.
        if (!signal.aborted) await report(pod, result, kubelet);
      },
    },
    { log },
    signal,
  );
}

const isOver = ({ status }: Pod): boolean => status?.phase === 'Succeeded' || status?.phase === 'Failed';

async function poll(
  work: PollRequest,
  parts: Parameters<typeof settingsOf>[2],
  signal: AbortSignal,
): Promise<PollResult> {
  try {
    const name = imageOf(work.url);
    const reference = parseReference(name);
    const settings = await settingsOf(work, reference.registry, parts);
    const credentials = await secretCredentials(work, name, parts);
    const image = new RegistryImage(reference, { settings, ...(credentials && { credentials }) });
    const { digest } = await image.root(signal);
    return { digest };
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    return { error: message, ...(isOciError(error, 'Unauthorized', 'Forbidden') && { isRefused: true }) };
  }
}

/** In the words of a container that has ended. */
async function report(pod: Persisted<Pod>, result: PollResult, kubelet: Client): Promise<void> {
  const isGood = 'digest' in result;
  const { name, namespace, uid } = pod.metadata;
  const at = timestamp();
  const terminated = {
    exitCode: isGood ? 0 : 1,
    reason: isGood ? 'Completed' : 'Error',
    message: JSON.stringify(result),
    startedAt: at,
    finishedAt: at,
  };
  const image = pod.spec?.containers[0]?.image ?? '';
  const container = {
    name: POLLER_CONTAINER,
    image,
    imageID: '',
    ready: false,
    restartCount: 0,
    state: { terminated },
  };
  const status = { phase: isGood ? 'Succeeded' : 'Failed', startTime: at, containerStatuses: [container] };
  await kubelet
    .of(Pod)
    .patchStatus(name, { metadata: { uid }, status }, { namespace, type: 'merge' })
    .catch(ignoreNotFoundOrConflict);
}

import { controllerReference, isDeleting, type Persisted, type Pod } from '@vireo/api';
import { nextTime } from '@vireo/api/cron.ts';
import { DataImportCron } from '@vireo/api/kinds/cdi/dataImportCron.ts';
import {
  IMPORT_CRON_LABEL,
  LAST_CRON_TIME,
  POLL_REQUEST,
  POLLER_CONTAINER,
  POLLER_LABELS,
  type PollRequest,
  pollResultOf,
} from '@vireo/api/kinds/cdi/importCron.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Draft } from '@vireo/kube';
import { namingSpec } from '../namingPod.ts';

/** What failed is tried again, also before the schedule says so. */
const RETRY_MS = 300_000;
/** A node that has not answered by then does not. */
const STUCK_MS = 600_000;
/** Timers do not run for months. */
const LONGEST_WAIT_MS = 24 * 3_600_000;

/** What to do about looking at the image. */
export type PollDecision =
  | { readonly action: 'none'; readonly requeueAfterMs?: number }
  | { readonly action: 'create' }
  /** The digest is known: it is noted, and the pod goes. */
  | { readonly action: 'record'; readonly pod: Persisted<Pod>; readonly digest: string }
  | { readonly action: 'delete'; readonly pod: Persisted<Pod> };

/** Looks at the image when its schedule says so, and at once where nobody has looked yet. */
export function decidePoll(cron: Persisted<DataImportCron>, pod: Persisted<Pod> | undefined, now: Date): PollDecision {
  if (pod) return isDeleting(pod) ? { action: 'none' } : decideWithPod(pod, now);
  const { schedule } = cron.spec;
  if (schedule === '') return { action: 'none' };
  const last = cron.metadata.annotations?.[LAST_CRON_TIME];
  if (last === undefined || Number.isNaN(Date.parse(last))) return { action: 'create' };
  const next = nextTime(schedule, new Date(last));
  if (!next) return { action: 'none' };
  const waitMs = next.getTime() - now.getTime();
  return waitMs <= 0 ? { action: 'create' } : { action: 'none', requeueAfterMs: Math.min(waitMs, LONGEST_WAIT_MS) };
}

function decideWithPod(pod: Persisted<Pod>, now: Date): PollDecision {
  const result = pollResultOf(pod);
  if (result && 'digest' in result) return { action: 'record', pod, digest: result.digest };
  const lifetimeMs = result ? RETRY_MS : STUCK_MS;
  const waitMs = Date.parse(pod.metadata.creationTimestamp) + lifetimeMs - now.getTime();
  return waitMs <= 0 ? { action: 'delete', pod } : { action: 'none', requeueAfterMs: waitMs };
}

/** The name of the poller pod of a DataImportCron, which follows from it, so that there is one. */
export const pollerName = ({ metadata }: Persisted<DataImportCron>): string => `poller-${metadata.uid}`;

/** The pod that asks a node for the digest of the image. */
export function pollerPod(cron: Persisted<DataImportCron>): Draft<Pod> {
  const { url = '', secretRef, certConfigMap } = cron.spec.template.spec.source?.registry ?? {};
  const request: PollRequest = {
    url,
    ...(secretRef && { secret: secretRef }),
    ...(certConfigMap && { certificates: certConfigMap }),
  };
  const objects = { secrets: secretRef ? [secretRef] : [], configMaps: certConfigMap ? [certConfigMap] : [] };
  return {
    metadata: {
      name: pollerName(cron),
      namespace: cron.metadata.namespace,
      labels: { ...POLLER_LABELS, [IMPORT_CRON_LABEL]: cron.metadata.name },
      annotations: { [POLL_REQUEST]: JSON.stringify(request) },
      ownerReferences: [controllerReference(cron, DataImportCron)],
    },
    // Any node of ours knows how to ask; which of them is free, the scheduler knows.
    spec: { ...namingSpec(POLLER_CONTAINER, objects), nodeSelector: { [SCHEDULABLE_LABEL]: 'true' } },
  };
}

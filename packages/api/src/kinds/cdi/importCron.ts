import { isObject } from '../../json.ts';
import { controllerOf } from '../../objects.ts';
import type { Pod } from '../core/pod.ts';
import { DataImportCron } from './dataImportCron.ts';

/** On what a DataImportCron makes: its name. */
export const IMPORT_CRON_LABEL = 'cdi.kubevirt.io/dataImportCron';
/** On a DataImportCron: the digest that the image has now. Without a schedule, others write it. */
export const DESIRED_DIGEST = 'cdi.kubevirt.io/storage.import.sourceDesiredDigest';
/** On a DataImportCron: when somebody last looked at the image. */
export const LAST_CRON_TIME = 'cdi.kubevirt.io/storage.import.lastCronTime';
/** Lets a DataImportCron that keeps nothing take its imports with it. */
export const IMPORT_CRON_FINALIZER = 'cdi.kubevirt.io/dataImportCronFinalizer';

/**
 * Nodes, not controllers, talk to registries: they know their mirrors and authorities, and read only Secrets that a pod
 * on them names. A poller pod asks the node that it is on for the digest of an image. Nothing runs in it.
 */

const ROLE_LABEL = 'cdi.kubevirt.io';
const POLLER = 'poller';

/** The labels of poller pods, and the selector that finds them. */
export const POLLER_LABELS = { app: 'containerized-data-importer', [ROLE_LABEL]: POLLER } as const;
export const POLLER_SELECTOR = `${ROLE_LABEL}=${POLLER}`;
export const POLLER_CONTAINER = 'poller';
/** The annotation with the request, in JSON. */
export const POLL_REQUEST = 'vireo.io/poll-request';

/** The image that is looked at, in a registry. */
export interface PollRequest {
  /** `docker://` and the name of an image. */
  readonly url: string;
  readonly secret?: string;
  readonly certificates?: string;
}

/** What came of it. */
export type PollResult =
  | { readonly digest: string }
  /** `isRefused`: the registry does not take the credentials. */
  | { readonly error: string; readonly isRefused?: boolean };

/** What a pod asks for; undefined where it is no poller pod. */
export function pollRequestOf(pod: Pod): PollRequest | undefined {
  const { labels = {}, annotations = {} } = pod.metadata;
  if (labels[ROLE_LABEL] !== POLLER || controllerOf(pod)?.kind !== DataImportCron.kind) return undefined;
  const { url, secret, certificates } = parse(annotations[POLL_REQUEST]) ?? {};
  if (typeof url !== 'string') return undefined;
  return {
    url,
    ...(typeof secret === 'string' && { secret }),
    ...(typeof certificates === 'string' && { certificates }),
  };
}

/** How the poll of a pod has ended; undefined while it has not. */
export function pollResultOf({ status }: Pod): PollResult | undefined {
  const { phase } = status ?? {};
  if (phase !== 'Succeeded' && phase !== 'Failed') return undefined;
  const { digest, error, isRefused } = parse(status?.containerStatuses?.[0]?.state?.terminated?.message) ?? {};
  if (isDigest(digest)) return { digest };
  const text = typeof error === 'string' ? error : status?.message || 'the poller pod failed';
  return { error: text, ...(isRefused === true && { isRefused }) };
}

/** Whether it is the SHA-256 of an image: a part of it becomes a part of names. */
export const isDigest = (value: unknown): value is string =>
  typeof value === 'string' && /^sha256:[0-9a-f]{64}$/.test(value);

function parse(text: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

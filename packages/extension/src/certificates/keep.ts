import { HARVESTER_SERVICE } from '@vireo/api/kinds/harvester/names.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type Client,
  type Clock,
  type Informers,
  type Log,
  type Result,
  runController,
  systemClock,
  watch,
} from '@vireo/kube';
import {
  authoritiesFromData,
  bundleOf,
  decideAuthorities,
  isSignedBy,
  issueServing,
  type KeyPair,
  LIFETIMES,
  type Lifetimes,
  renewAtMs,
} from './authorities.ts';
import { authoritySecret, saveAuthorities, watchPublication, writesFor } from './publish.ts';

export interface CertificateOptions {
  readonly client: Client;
  readonly informers: Informers;
  /** Default: `LIFETIMES`. */
  readonly lifetimes?: Partial<Lifetimes>;
  /** Called with the certificate to show from now on. */
  readonly onServing: (shown: KeyPair) => void;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** The names that whoever calls the extension expects in its certificate. */
export const SERVING_NAMES: readonly string[] = [
  `${VIRT_API_SERVICE}.${KUBEVIRT_NAMESPACE}.svc`,
  `${HARVESTER_SERVICE.name}.${HARVESTER_SERVICE.namespace}.svc`,
];

/** There is one thing to reconcile. */
const ALL = 'authorities';
/** Timers stand still while a host is suspended, and certificates expire all the same. */
const MAX_SLEEP_MS = 60_000;

/**
 * Keeps the authority of the extension's certificates, tells everybody to trust it, and issues this instance's own
 * certificate, each before the last one ends. Every instance does so: whoever is first writes, and the others find it
 * done, because a write of what has changed meanwhile is refused. Resolves when the signal has stopped it.
 */
export async function keepCertificates(options: CertificateOptions, signal: AbortSignal): Promise<void> {
  const { client, informers, onServing, clock = systemClock, log } = options;
  const lifetimes = { ...LIFETIMES, ...options.lifetimes };
  const publication = watchPublication(informers);
  let shown: KeyPair | undefined;
  /** Which bundle everybody has been told to trust, and since when. */
  let published: { readonly bundle: string; readonly sinceMs: number } | undefined;

  const reconcile = async (): Promise<Result> => {
    const nowMs = clock.now();
    const secret = authoritySecret(publication);
    const found = secret && authoritiesFromData(secret);
    // Another instance may have written others since: those are not published by what was published before.
    const sinceMs = found && published?.bundle === bundleOf(found) ? published.sinceMs : undefined;
    const decision = decideAuthorities(found, lifetimes, nowMs, sinceMs);
    const { authorities, hasChanged } = decision;
    if (hasChanged) {
      published = undefined;
      await saveAuthorities(client, secret, authorities);
      // The watch brings it, and what follows from it.
      return {};
    }
    if (!shown || !isSignedBy(shown.certPem, authorities.current) || nowMs >= renewAtMs(shown.certPem)) {
      shown = issueServing(authorities, SERVING_NAMES, lifetimes, nowMs);
      onServing(shown);
    }
    const bundle = bundleOf(authorities);
    const writes = writesFor(publication, bundle);
    for (const write of writes) await write(client);
    published = writes.length > 0 ? undefined : { bundle, sinceMs: sinceMs ?? nowMs };
    const { lookAtMs } = decideAuthorities(authorities, lifetimes, nowMs, published?.sinceMs);
    const dueMs = Math.min(lookAtMs, renewAtMs(shown.certPem)) - clock.now();
    return { requeueAfterMs: Math.min(Math.max(0, dueMs), MAX_SLEEP_MS) };
  };
  const { secrets, configMaps, apiServices, mutating, validating } = publication;
  await runController(
    {
      name: 'serving-certificates',
      watches: [secrets, configMaps, apiServices, mutating, validating].map((informer) => watch(informer, () => ALL)),
      initialKeys: () => [ALL],
      reconcile,
    },
    { clock, ...(log && { log }) },
    signal,
  );
}

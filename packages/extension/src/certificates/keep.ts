import { HARVESTER_SERVICE } from '@vireo/api/kinds/harvester/names.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import {
  type AnyInformer,
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
  renewServingAtMs,
} from './authorities.ts';
import { authoritySecret, saveAuthorities, watchPublication, writeAll, writesFor } from './publish.ts';

export interface CertificateOptions {
  readonly client: Client;
  readonly informers: Informers;
  /** Default: `LIFETIMES`. */
  readonly lifetimes?: Partial<Lifetimes>;
  /** Under which it is reached beside `SERVING_NAMES`. */
  readonly names?: NamesSource;
  /** Called with the certificate to show from now on. */
  readonly onServing: (shown: KeyPair) => void;
  readonly clock?: Clock;
  readonly log?: Log;
}

/** Names and addresses that change, and what tells of that. */
export interface NamesSource {
  readonly watched: AnyInformer;
  list(): readonly string[];
}

/** The names that whoever calls the extension expects in its certificate. */
export const SERVING_NAMES: readonly string[] = [
  `${VIRT_API_SERVICE}.${KUBEVIRT_NAMESPACE}.svc`,
  `${HARVESTER_SERVICE.name}.${HARVESTER_SERVICE.namespace}.svc`,
];

/** What is reconciled: the certificates of the CA and of this instance, and the objects that say to trust the CA. */
const CERTIFICATES = 'certificates';
/** On its own, so that what cannot be written holds up no certificate. */
const PUBLICATION = 'publication';
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
  let shown: (KeyPair & { readonly names: string }) | undefined;
  /** Which bundle everybody has been told to trust, and since when. */
  let published: { readonly bundle: string; readonly sinceMs: number } | undefined;

  const keep = async (): Promise<Result> => {
    const nowMs = clock.now();
    const secret = authoritySecret(publication);
    const found = secret && authoritiesFromData(secret);
    published = found && publishedSince(bundleOf(found), nowMs);
    const { authorities, hasChanged, lookAtMs } = decideAuthorities(found, lifetimes, nowMs, published?.sinceMs);
    if (hasChanged) {
      await saveAuthorities(client, secret, authorities);
      // The watch brings it, and what follows from it.
      return {};
    }
    const { current } = authorities;
    const names = [...new Set([...SERVING_NAMES, ...(options.names?.list() ?? [])])];
    const isFit = shown?.names === names.join() && isSignedBy(shown.certPem, current);
    if (!shown || !isFit || nowMs >= renewServingAtMs(shown.certPem, current)) {
      shown = { ...issueServing(authorities, names, lifetimes, nowMs), names: names.join() };
      onServing(shown);
    }
    const dueMs = Math.min(lookAtMs, renewServingAtMs(shown.certPem, current)) - clock.now();
    return { requeueAfterMs: Math.min(Math.max(0, dueMs), MAX_SLEEP_MS) };
  };
  /** Another instance may have written others since: those are not published by what was published before. */
  const publishedSince = (bundle: string, nowMs: number): typeof published => {
    if (writesFor(publication, bundle).length > 0) return undefined;
    return published?.bundle === bundle ? published : { bundle, sinceMs: nowMs };
  };
  const publish = async (): Promise<Result> => {
    const secret = authoritySecret(publication);
    const found = secret && authoritiesFromData(secret);
    if (found) await writeAll(client, writesFor(publication, bundleOf(found)));
    return {};
  };
  const { secrets, configMaps, apiServices, mutating, validating } = publication;
  await runController(
    {
      name: 'serving-certificates',
      watches: [
        watch([secrets, configMaps, apiServices, mutating, validating], () => [CERTIFICATES, PUBLICATION]),
        ...(options.names ? [watch([options.names.watched], () => CERTIFICATES)] : []),
      ],
      initialKeys: () => [CERTIFICATES, PUBLICATION],
      reconcile: async (key) => (key === PUBLICATION ? publish() : keep()),
    },
    { clock, ...(log && { log }) },
    signal,
  );
}

import { once } from 'node:events';
import { ConfigMap } from '@vireo/api';
import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import {
  type Clock,
  cachedAccessReviews,
  cachedTokenReviews,
  consoleLog,
  Informers,
  Metrics,
  pause,
} from '@vireo/kube';
import { bySubjectAccessReview } from '../authorize.ts';
import type { KeyPair, Lifetimes } from '../certificates/authorities.ts';
import { keepCertificates } from '../certificates/keep.ts';
import { uploadNames } from '../certificates/uploadNames.ts';
import type { Instance } from '../endpoints/objects.ts';
import { Presence } from '../endpoints/presence.ts';
import { createExtension, type Extension, type ExtensionOptions } from '../extension.ts';
import type { Trust } from '../listener/authenticate.ts';
import { type Listener, listen } from '../listener/listener.ts';
import { connectNodes } from '../streams/connectNodes.ts';
import type { NodeConnections } from '../streams/nodeConnections.ts';
import { UPLOAD_PATHS } from '../uploads/endpoint.ts';
import { PROBES, withProbes } from './probes.ts';
import { TRUST, trustOf } from './trust.ts';

/** How an instance of the extension in a process of its own is started. */
export interface ServeOptions extends Omit<ExtensionOptions, 'informers' | 'authorize' | 'nodes'> {
  /** Where it is reached; the port is the one that it listens on. */
  readonly instance: Omit<Instance, 'port'>;
  readonly port: number;
  readonly host?: string;
  /** Where its certificate for nodes is kept. */
  readonly directory: string;
  /** PEM of authorities of nodes beside those that the cluster names. */
  readonly nodeAuthorities?: readonly string[];
  /** Nodes that are reached otherwise than by TLS. */
  readonly nodes?: NodeConnections;
  /** How long its certificates and their authority last. */
  readonly lifetimes?: Partial<Lifetimes>;
  /** Whether the API server looks for instances in Endpoints, as those before 1.33 do. */
  readonly writesEndpoints?: boolean;
  /** Whose time decides when certificates are replaced. */
  readonly certificateClock?: Clock;
  /** How long what the cluster says of users holds. */
  readonly reviewLifetimeMs?: number;
}

/** An extension that answers on the network. */
export interface ServedExtension {
  readonly port: number;
  readonly extension: Extension;
  /** Resolves when another process has taken the name of this instance. */
  readonly overtaken: Promise<void>;
  /** Has API servers go elsewhere, lets requests end, and closes. */
  close(): Promise<void>;
}

/** How long API servers may go on sending requests to an instance that has told them not to. */
const WITHDRAWN_MS = 1_000;
/** How long requests may take to end. Streams, which have no end, are cut off then. */
const GRACE_MS = 20_000;

/**
 * Serves the extension behind an API server's webhooks and APIServices: by TLS with certificates that it keeps itself,
 * with users from whoever the API server says that they are to be taken from, found by its own EndpointSlice. Resolves
 * when API servers are led there.
 */
export async function serveExtension(options: ServeOptions, signal: AbortSignal): Promise<ServedExtension> {
  const stopping = new AbortController();
  const end = (): void => stopping.abort();
  signal.addEventListener('abort', end, { once: true });
  const undo = new AsyncDisposableStack();
  undo.defer(() => signal.removeEventListener('abort', end));
  undo.defer(end);
  try {
    const { close, ...served } = await start(options, stopping, undo);
    return { ...served, close: () => close().finally(() => signal.removeEventListener('abort', end)) };
  } catch (error) {
    await undo.disposeAsync();
    throw error;
  }
}

/** `undo` is told how to take back what has been started, for the case that the rest cannot be. */
async function start(
  options: ServeOptions,
  stopping: AbortController,
  undo: AsyncDisposableStack,
): Promise<ServedExtension> {
  const { client, port, host, instance, log = consoleLog, metrics = new Metrics() } = options;
  const informers = new Informers(client);
  const review = cachedAccessReviews(client, reviewOptions(options));
  const overTls = connectNodes(
    {
      client,
      informers,
      instance: instance.name,
      directory: options.directory,
      authorities: options.nodeAuthorities ?? [],
      log,
    },
    stopping.signal,
  );
  const extension = createExtension({
    ...options,
    informers,
    metrics,
    nodes: (name) => overTls(name) ?? options.nodes?.(name),
    authorize: bySubjectAccessReview(review),
  });
  const trusted = followTrust(informers);
  const certificate = new Latest<KeyPair>();
  const kept = keepCertificates(
    {
      client,
      informers,
      log,
      names: uploadNames(informers, instance.address),
      onServing: (pair) => certificate.set(pair),
      ...(options.certificateClock && { clock: options.certificateClock }),
      ...(options.lifetimes && { lifetimes: options.lifetimes }),
    },
    stopping.signal,
  );
  informers.start(stopping.signal);
  await informers.whenSynced();
  const [trust, shown] = [trusted.get(), await certificate.first(stopping.signal)];
  if (!trust) throw new Error(`ConfigMap ${TRUST.namespace}/${TRUST.name} names no front proxy`);
  let isReady = false;
  const probes = { isReady: () => isReady, metrics, review };
  const listener = await listen({
    port,
    ...(host !== undefined && { host }),
    cert: shown.certPem,
    key: shown.keyPem,
    trust,
    reviewToken: cachedTokenReviews(client, reviewOptions(options)),
    handle: withProbes(extension.handle, probes),
    upgrade: extension.upgrade,
    direct: directOf(extension),
    openPaths: [...extension.openPaths, ...PROBES],
    onError: (error, target) => log.error('a request failed', undefined, { path: target.split('?', 1)[0], error }),
  });
  undo.defer(() => listener.close());
  const renew = (): void => {
    const { certPem: cert, keyPem: key } = certificate.get() ?? shown;
    listener.renew({ cert, key, trust: trusted.get() ?? trust });
  };
  renew();
  certificate.onChange = renew;
  trusted.onChange(renew);
  const presence = new Presence({
    client,
    informers,
    log,
    instance: { ...instance, port: listener.port },
    ...(options.writesEndpoints && { writesEndpoints: true }),
  });
  undo.defer(async () => {
    await presence.withdraw().catch(() => {});
    await presence.end().catch(() => {});
  });
  await presence.start(stopping.signal);
  isReady = true;
  const close = async (): Promise<void> => {
    isReady = false;
    await withdraw(presence, listener);
    stopping.abort();
    await listener.close(GRACE_MS);
    await Promise.all([kept, presence.end().catch(() => {})]);
  };
  return { port: listener.port, extension, overtaken: presence.overtaken, close };
}

const reviewOptions = ({ reviewLifetimeMs: lifetimeMs }: ServeOptions) =>
  lifetimeMs === undefined ? {} : { lifetimeMs };

/** Where there are other instances, requests go there before this one closes. */
async function withdraw(presence: Presence, listener: Listener): Promise<void> {
  // A server that is away leads nobody here, and what is left of this instance is taken away when it is back.
  await presence.withdraw().catch(() => {});
  listener.drain();
  if (presence.others > 0) await pause(WITHDRAWN_MS, new AbortController().signal);
}

/** Uploads and downloads have tokens of their own. */
const directOf =
  ({ upload, download }: Extension) =>
  (target: string) => {
    const path = target.split('?', 1)[0] ?? '';
    if (UPLOAD_PATHS.includes(path)) return upload;
    return path.startsWith(EXPORT_PREFIX) ? download : undefined;
  };

/** Whom the server says to trust. If its ConfigMap no longer names a front proxy, the previous one stays trusted. */
function followTrust(informers: Informers) {
  const maps = informers.for(ConfigMap, { namespace: TRUST.namespace, fieldSelector: `metadata.name=${TRUST.name}` });
  let known: Trust | undefined;
  const get = (): Trust | undefined => {
    const found = maps.get(`${TRUST.namespace}/${TRUST.name}`);
    known = (found && trustOf(found)) ?? known;
    return known;
  };
  return { get, onChange: (callback: () => void) => maps.on({ added: callback, updated: callback }) };
}

/** A value that is replaced from time to time. */
class Latest<T> {
  #value: T | undefined;
  readonly #first = Promise.withResolvers<T>();
  onChange: () => void = () => {};

  get(): T | undefined {
    return this.#value;
  }

  set(value: T): void {
    this.#value = value;
    this.#first.resolve(value);
    this.onChange();
  }

  /** Rejects when the signal aborts before. */
  async first(signal: AbortSignal): Promise<T> {
    if (signal.aborted) throw signal.reason;
    const stopped = new AbortController();
    const aborted = once(signal, 'abort', { signal: stopped.signal }).then(() => Promise.reject(signal.reason));
    aborted.catch(() => {});
    return Promise.race([this.#first.promise, aborted]).finally(() => stopped.abort()) as Promise<T>;
  }
}

import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import { type Clock, type Log, pause } from '@vireo/kube';
import { Backoff } from '@vireo/kube/backoff.ts';
import { DevicePlugin } from './devicePlugin_pb.ts';
import { nameOf, type Offer, pluginService } from './plugin.ts';
import { registerPlugin, serveSocket } from './socket.ts';

export interface KeepPluginOptions {
  /** Of the kubelet's socket and of the plug-ins'. */
  readonly directory: string;
  /** How often the socket is looked for. */
  readonly lookMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

const KUBELET_SOCKET = 'kubelet.sock';

/** The plug-in of one resource. */
export interface KeptPlugin {
  /** Offers this from now on; a kubelet that listens is told. */
  offer(offer: Offer): void;
  /** Ends it: the kubelet takes its devices for unhealthy, and forgets the resource after five minutes. */
  close(): Promise<void>;
}

/**
 * Serves the plug-in of a resource and registers it with the kubelet, again whenever a kubelet has started anew, which is
 * seen by the socket that it removes. Looked at and not listened for: a directory that is replaced takes its watch along.
 */
export function keepPlugin(first: Offer, options: KeepPluginOptions): KeptPlugin {
  const { directory, lookMs, clock, log } = options;
  const resourceName = first.resource;
  const endpoint = `kubevirt-${nameOf(resourceName)}.sock`;
  const closing = new AbortController();
  const { signal } = closing;
  const backoff = new Backoff({ firstMs: lookMs, longestMs: 30 * lookMs });
  let current = first;
  let changed = Promise.withResolvers<void>();
  let lastProblem: string | undefined;

  async function* shown(listening: AbortSignal): AsyncGenerator<Offer> {
    const ended = Promise.withResolvers<void>();
    listening.addEventListener('abort', () => ended.resolve(), { once: true });
    while (!listening.aborted) {
      const next = changed.promise;
      yield current;
      await Promise.race([next, ended.promise]);
    }
  }

  async function serveOnce(): Promise<void> {
    const socket = await serveSocket(join(directory, endpoint), (router) => {
      router.service(
        DevicePlugin,
        pluginService(() => current, shown),
      );
    });
    try {
      const plugin = {
        endpoint,
        resourceName,
        options: { preStartRequired: false, getPreferredAllocationAvailable: false },
      };
      await registerPlugin(join(directory, KUBELET_SOCKET), plugin, signal);
      log.info('registered with the kubelet', undefined, { resource: resourceName });
      lastProblem = undefined;
      backoff.reset();
      while (!signal.aborted && (await socket.isThere())) await pause(lookMs, signal, clock);
      if (!signal.aborted)
        log.info('the kubelet has started anew; registering again', undefined, { resource: resourceName });
    } finally {
      await socket.close();
    }
  }

  async function run(): Promise<void> {
    while (!signal.aborted) {
      try {
        await serveOnce();
      } catch (error) {
        if (signal.aborted) return;
        const problem = String(error);
        // A kubelet may be away for long: said once.
        if (problem !== lastProblem)
          log.warn('cannot register with the kubelet; retrying', undefined, { resource: resourceName, error });
        lastProblem = problem;
        await pause(backoff.nextMs(), signal, clock);
      }
    }
  }

  const ended = run();
  return {
    offer(offer) {
      if (isDeepStrictEqual(offer, current)) return;
      current = offer;
      changed.resolve();
      changed = Promise.withResolvers<void>();
    },
    close: async () => {
      closing.abort();
      await ended;
    },
  };
}

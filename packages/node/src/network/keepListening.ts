import { type Clock, pause } from '@vireo/kube';

const RETRY_MS = 2_000;
/** Another program has the port, or the address is just not there. */
const PASSING = ['EADDRINUSE', 'EADDRNOTAVAIL'];

export interface KeepListeningOptions {
  readonly listen: () => Promise<AsyncDisposable>;
  /** Told once, when it has to wait for its port. */
  readonly onWait: (error: Error) => void;
  /** Told when it has waited long enough. */
  readonly onListening: () => void;
  readonly clock: Clock;
}

/**
 * Starts a server for guests. While another program has its port, it tries again and again: guests run and keep their
 * connections without it. Any other error of the first attempt rejects.
 */
export async function keepListening(options: KeepListeningOptions, signal: AbortSignal): Promise<AsyncDisposable> {
  const { listen, onWait, onListening, clock } = options;
  try {
    return await listen();
  } catch (error) {
    if (!PASSING.includes((error as NodeJS.ErrnoException).code ?? '')) throw error;
    onWait(error as Error);
  }
  const closing = new AbortController();
  const ended = AbortSignal.any([signal, closing.signal]);
  const waiting = (async (): Promise<AsyncDisposable | undefined> => {
    for (;;) {
      await pause(RETRY_MS, ended, clock);
      if (ended.aborted) return undefined;
      const server = await listen().catch(() => undefined);
      if (server) {
        onListening();
        return server;
      }
    }
  })();
  return {
    async [Symbol.asyncDispose]() {
      closing.abort();
      await (await waiting)?.[Symbol.asyncDispose]();
    },
  };
}

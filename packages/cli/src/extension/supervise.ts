import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Log, pause } from '@vireo/kube';
import { Backoff } from '@vireo/kube/backoff.ts';

/** What the process says when it can answer. */
export interface ReadyMessage {
  readonly port: number;
}

/** A process that is started again whenever it ends. */
export interface Supervised {
  readonly port: number;
  /** As it runs now. */
  readonly process: () => ChildProcess;
  /** When it has ended for good. */
  readonly ended: Promise<void>;
}

const STOP_MS = 5_000;
/** A process that ran for so long was healthy: the next restart is not delayed further. */
const HEALTHY_MS = 60_000;
const MAX_RESTART_MS = 10_000;

const entry = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));

/**
 * Runs `vireo extension` until `signal` aborts. `args`: without the port, which the first start chooses and every later
 * one keeps. Rejects if the first start fails.
 */
export async function superviseExtension(args: readonly string[], log: Log, signal: AbortSignal): Promise<Supervised> {
  const first = start(args, 0, signal);
  const port = await first.ready;
  let running = first.child;
  return { port, process: () => running, ended: keepRunning() };

  async function keepRunning(): Promise<void> {
    const backoff = new Backoff({ longestMs: MAX_RESTART_MS });
    let since = performance.now();
    for (;;) {
      const [code, by] =
        running.exitCode === null && running.signalCode === null
          ? ((await once(running, 'exit')) as [number | null, string | null])
          : [running.exitCode, running.signalCode];
      if (signal.aborted) return;
      log.warn('the extension has ended and is started again', undefined, { code: code ?? by });
      if (performance.now() - since > HEALTHY_MS) backoff.reset();
      await pause(backoff.nextMs(), signal);
      if (signal.aborted) return;
      since = performance.now();
      const next = start(args, port, signal);
      next.ready.catch(() => {});
      running = next.child;
    }
  }
}

function start(
  args: readonly string[],
  port: number,
  signal: AbortSignal,
): { child: ChildProcess; ready: Promise<number> } {
  const child = spawn(process.execPath, [...process.execArgv, entry, 'extension', ...args, '--port', String(port)], {
    stdio: ['ignore', 'inherit', 'pipe', 'ipc'],
  });
  // Through this process, which keeps what it says in the log of the home.
  child.stderr?.pipe(process.stderr, { end: false });
  const { promise: ready, resolve, reject } = Promise.withResolvers<number>();
  child.once('message', ({ port: chosen }: ReadyMessage) => resolve(chosen));
  child.once('error', reject);
  child.once('exit', (code, by) => reject(new Error(`the extension ended with ${code ?? by} before it could answer`)));
  const stop = (): void => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => clearTimeout(late));
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', stop));
  return { child, ready };
}

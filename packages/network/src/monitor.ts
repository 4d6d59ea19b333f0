import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

/** A program that prints a line for whatever changes in the kernel, until it is killed. */
export interface Monitor {
  readonly program: string;
  readonly words: readonly string[];
  readonly onLine: (line: string) => void;
  /** It listens, for the first time or again. What happened before it did is not told. */
  readonly onListening: (isAgain: boolean) => void;
  readonly onError: (error: unknown) => void;
}

/** For the program to listen; what happens before is found by looking. */
const START_MS = 1_000;
/** After it has ended that should not have. */
const RESTART_MS = 5_000;

/** Keeps a monitor running until `signal` aborts. It costs nothing while nothing changes. */
export async function keepMonitor(monitor: Monitor, signal: AbortSignal): Promise<void> {
  const { program, words, onLine, onListening, onError } = monitor;
  for (let isAgain = false; !signal.aborted; isAgain = true) {
    // It ends with us, however we end.
    const child = spawn('setpriv', ['--pdeathsig', 'KILL', program, ...words], {
      stdio: ['ignore', 'pipe', 'pipe'],
      signal,
      killSignal: 'SIGKILL',
    });
    let stderr = '';
    child.stderr.on('data', (data) => {
      stderr += data;
    });
    createInterface({ input: child.stdout }).on('line', onLine);
    const started = setTimeout(() => onListening(isAgain), START_MS);
    const end = await once(child, 'close').catch((error: unknown) => [error]);
    clearTimeout(started);
    if (signal.aborted) return;
    onError(new Error(`${[program, ...words].join(' ')} has ended: ${stderr.trim() || end[0]}`));
    await delay(RESTART_MS, undefined, { signal }).catch(() => {});
  }
}

/** Calls that come while one runs become one more. */
export function inTurn(task: () => Promise<void>): () => void {
  let isRunning = false;
  let isWanted = false;
  return async () => {
    isWanted = true;
    if (isRunning) return;
    isRunning = true;
    while (isWanted) {
      isWanted = false;
      await task();
    }
    isRunning = false;
  };
}

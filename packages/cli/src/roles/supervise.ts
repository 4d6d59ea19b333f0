import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { consoleLog, type Log, type LogSubject, pause } from '@vireo/kube';
import { Backoff } from '@vireo/kube/backoff.ts';

/** A command of this program that runs beside it. */
export interface SupervisedRole<Ready> {
  /** What it is, in messages. */
  readonly what: string;
  /** What it is about, in the log. */
  readonly subject?: LogSubject;
  /** The words after `vireo`; `last`: what an earlier start has said when it was ready. */
  args(last: Ready | undefined): readonly string[];
  /** Words before the program, such as `nsenter …`. */
  readonly within?: readonly string[];
  readonly env?: NodeJS.ProcessEnv;
  readonly log?: Log;
}

/** A process that is started again whenever it ends. */
export interface Supervised<Ready> {
  /** What its first start has said. */
  readonly ready: Ready;
  /** As it runs now. */
  readonly process: () => ChildProcess;
  /** Whether the process that runs now has said that it is ready. */
  isReady(): boolean;
  /** When it has ended for good. */
  readonly ended: Promise<void>;
}

const STOP_MS = 15_000;
/** A process that ran for so long was healthy: the next restart is not delayed further. */
const HEALTHY_MS = 60_000;
const MAX_RESTART_MS = 10_000;

const entry = fileURLToPath(new URL(`../main${extname(import.meta.url)}`, import.meta.url));

/** Runs a role until `signal` aborts. Resolves when it is ready, which it says by a message; rejects if that fails. */
export async function supervise<Ready>(role: SupervisedRole<Ready>, signal: AbortSignal): Promise<Supervised<Ready>> {
  const { what, subject, log = consoleLog } = role;
  let running = start(role, undefined, signal);
  let last: Ready = await running.ready;
  return { ready: last, process: () => running.child, isReady: () => running.isReady, ended: keepRunning() };

  async function keepRunning(): Promise<void> {
    const backoff = new Backoff({ longestMs: MAX_RESTART_MS });
    for (let since = performance.now(); ; since = performance.now()) {
      const code = await running.exited;
      if (signal.aborted) return;
      log.warn('a process has ended and is started again', subject, { what, code });
      if (performance.now() - since > HEALTHY_MS) backoff.reset();
      await pause(backoff.nextMs(), signal);
      if (signal.aborted) return;
      running = start(role, last, signal);
      running.ready.then(
        (ready) => {
          last = ready;
        },
        () => {},
      );
    }
  }
}

interface Started<Ready> {
  readonly child: ChildProcess;
  readonly ready: Promise<Ready>;
  readonly isReady: boolean;
  /** With its code or signal. */
  readonly exited: Promise<unknown>;
}

function start<Ready>(role: SupervisedRole<Ready>, last: Ready | undefined, signal: AbortSignal): Started<Ready> {
  const [program = process.execPath, ...words] = [
    ...(role.within ?? []),
    ...[process.execPath, ...process.execArgv, entry, ...role.args(last)],
  ];
  const env = role.env ?? process.env;
  const child = spawn(program, words, { env, stdio: ['ignore', 'ignore', 'pipe', 'ipc'] });
  // Through this process, which keeps what it says in the log of the home.
  child.stderr?.pipe(process.stderr, { end: false });
  const { promise: ready, resolve, reject } = Promise.withResolvers<Ready>();
  let isReady = false;
  child.once('message', (message) => {
    isReady = true;
    resolve(message as Ready);
  });
  child.once('error', reject);
  const exited = once(child, 'exit').then(
    ([code, by]: unknown[]) => code ?? by,
    (error: unknown) => error,
  );
  void exited.then((code) => {
    isReady = false;
    reject(new Error(`${role.what} ended with ${code} before it was ready`));
  });
  const stop = (): void => {
    child.kill('SIGTERM');
    const late = setTimeout(() => child.kill('SIGKILL'), STOP_MS);
    child.once('exit', () => clearTimeout(late));
  };
  if (signal.aborted) stop();
  else signal.addEventListener('abort', stop, { once: true });
  child.once('exit', () => signal.removeEventListener('abort', stop));
  return {
    child,
    ready,
    exited,
    get isReady() {
      return isReady;
    },
  };
}

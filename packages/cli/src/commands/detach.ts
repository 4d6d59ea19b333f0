import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { Failure, TIMED_OUT } from '../failure.ts';
import { logFile } from '../logFile.ts';
import { prepareHome } from '../prepareHome.ts';
import { problemsOfServer } from '../readiness.ts';
import { DETACHED, type StartMessage } from '../starter.ts';
import { shellWord } from './readyText.ts';
import { waitFor } from './vms/waitFor.ts';

/** How a server in the background ended. */
interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/**
 * Runs this same command again in a session of its own, shows what it prints and returns when its server is ready, and
 * `served` has resolved. The log of the home is its standard error, so that even a crash of Node is found there.
 */
export async function detach(home: string, served = () => untilServed(home)): Promise<void> {
  prepareHome(home);
  const file = logFile(home);
  const log = openSync(file, 'a', 0o600);
  const before = statSync(file).size;
  const child = spawn(process.execPath, [...process.execArgv, ...process.argv.slice(1)], {
    detached: true,
    stdio: ['ignore', 'ignore', log, 'ipc'],
    env: { ...process.env, [DETACHED]: '1' },
  });
  closeSync(log);
  const { promise: exited, resolve } = Promise.withResolvers<Exit>();
  child.once('exit', (code, signal) => resolve({ code, signal }));
  try {
    const outcome = await startOf(child, exited);
    const ended = outcome === 'ready' ? await Promise.race([served(), exited]) : outcome;
    if (!ended) return;
    process.stderr.write(textSince(file, before));
    if (ended.signal) throw new Failure(`the server was ended by ${ended.signal} before it was ready`);
    process.exitCode = ended.code || 1;
  } finally {
    // It goes on without this command, ready or not.
    if (child.connected) child.disconnect();
    child.unref();
  }
}

/** Shows what the server prints until it is ready or has ended. Who interrupts this command means the server. */
async function startOf(child: ChildProcess, exited: Promise<Exit>): Promise<'ready' | Exit> {
  const { promise, resolve, reject } = Promise.withResolvers<'ready'>();
  child.on('message', (message: StartMessage) => {
    if ('text' in message) process.stdout.write(message.text);
    else resolve('ready');
  });
  child.once('error', reject);
  const stop = (): void => void child.kill('SIGTERM');
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, stop);
  try {
    return await Promise.race([promise, exited]);
  } finally {
    for (const signal of signals) process.off(signal, stop);
  }
}

/** Until clients are answered as well: it is what they will do next. */
async function untilServed(home: string): Promise<void> {
  const ask = async () => ((await problemsOfServer(join(home, 'kubeconfig'))).length === 0 ? true : undefined);
  if (await waitFor(ask, { timeoutMs: 60_000, intervalMs: 100 })) return;
  throw new Failure('the server is running but not ready', `To see why: vireo status --home ${shellWord(home)}`, {
    exitCode: TIMED_OUT,
  });
}

/** What was added to a log; all of it where the file was begun anew. */
function textSince(file: string, size: number): string {
  const text = readFileSync(file);
  return text.subarray(text.length < size ? 0 : size).toString();
}

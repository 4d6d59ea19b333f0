import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { readFile } from 'node:fs/promises';

const SHOWN_BYTES = 4000;
const GRACE_MS = 10_000;

/** A program that runs beside this one and ends with it, even if this one is killed. */
export interface Child extends AsyncDisposable {
  readonly pid: number;
  /** Whether it runs no more. */
  hasEnded(): boolean;
  /** The end of what it has printed. */
  output(): Promise<string>;
  /** Ends it by this signal and waits for it. */
  end(signal: NodeJS.Signals): Promise<void>;
}

/** Starts a program that prints to a file. */
export function startChild(program: string, args: readonly string[], logFile: string): Child {
  const log = createWriteStream(logFile, { flags: 'a' });
  const child = spawn('setpriv', ['--pdeathsig', 'KILL', '--', program, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  for (const stream of [child.stdout, child.stderr]) stream.pipe(log, { end: false });
  const exited = once(child, 'exit').catch((error: Error) => log.write(error.message));
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null || child.pid === undefined;
  const end = async (signal: NodeJS.Signals): Promise<void> => {
    if (hasEnded()) return;
    child.kill(signal);
    const impatience = setTimeout(() => child.kill('SIGKILL'), GRACE_MS);
    await exited;
    clearTimeout(impatience);
    log.end();
  };
  return {
    pid: child.pid ?? 0,
    hasEnded,
    output: async () => (await readFile(logFile, 'utf8')).slice(-SHOWN_BYTES),
    end,
    [Symbol.asyncDispose]: () => end('SIGTERM'),
  };
}

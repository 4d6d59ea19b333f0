import { type ChildProcess, spawn } from 'node:child_process';

const KEPT_BYTES = 20_000;

/** A program that runs beside this one and ends with it. */
export interface Child extends AsyncDisposable {
  /** The end of what it has printed. */
  output(): string;
  /** Resolves with the first match in what it prints; fails when it ends before. */
  printed(pattern: RegExp): Promise<RegExpExecArray>;
}

/** Starts a program; nothing of it is shown unless it fails. */
export function startChild(program: string, args: readonly string[]): Child {
  const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  let failure: Error | undefined;
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (text = (text + chunk).slice(-KEPT_BYTES)));
  }
  child.once('error', (error) => (failure = error));
  const end = (): void => void child.kill('SIGKILL');
  process.once('exit', end);
  child.once('exit', () => process.off('exit', end));
  return {
    output: () => text,
    printed: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const match = pattern.exec(text);
          if (match) resolve(match);
          else if (failure || hasEnded(child)) reject(new Error(`${program} ended: ${failure?.message ?? text}`));
          else setTimeout(look, 20);
        };
        look();
      }),
    async [Symbol.asyncDispose]() {
      if (hasEnded(child) || failure) return;
      const ended = new Promise((resolve) => child.once('exit', resolve));
      end();
      await ended;
    },
  };
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;

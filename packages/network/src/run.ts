import { execFile } from 'node:child_process';
import type { Batch } from './nft/netlink.ts';
import { rememberProcess } from './ownProcesses.ts';
import { endText, type Outcome, Runner, RunnerEnded } from './runner.ts';

/** A program that failed, with what it printed. */
export class CommandError extends Error {
  readonly command: string;
  readonly stderr: string;

  constructor(command: string, stderr: string, options?: ErrorOptions) {
    super(`${command}: ${stderr}`, options);
    this.name = 'CommandError';
    this.command = command;
    this.stderr = stderr;
  }
}

/** Whether a program could not be run because it is not installed. */
export const isMissingProgram = (error: unknown): boolean =>
  error instanceof CommandError && (error.cause as NodeJS.ErrnoException | undefined)?.code === 'ENOENT';

let runner: Runner | undefined;
let isRunnerWanted = false;

/** From now on, programs are run by a small process, where there is a whole Perl: for a large process that runs many. */
export function useRunner(): void {
  isRunnerWanted = true;
}

/** Runs a program with a text as its input, and returns what it printed. Its messages are in English. */
export async function run(program: string, words: readonly string[], input = ''): Promise<string> {
  const command = [program, ...words].join(' ');
  const outcome = await inRunner(command, (small) => small.run(program, words, input));
  return outcome ? outcome.stdout : runHere(command, program, words, input);
}

/** Sends a transaction to the kernel's nftables; false where this process cannot, and nft has to. */
export const transact = async (batch: Batch): Promise<boolean> =>
  (await inRunner('nftables', (small) => small.transact(batch))) !== undefined;

/** Undefined without a runner. */
async function inRunner(command: string, task: (runner: Runner) => Promise<Outcome>): Promise<Outcome | undefined> {
  if (!isRunnerWanted) return undefined;
  if (!runner?.isAlive) runner = new Runner();
  const outcome = await task(runner).catch((error: Error) => {
    if (!(error instanceof RunnerEnded)) throw new CommandError(command, error.message, { cause: error });
    if (!error.isUnusable) throw new CommandError(command, error.message);
    isRunnerWanted = false;
    return undefined;
  });
  if (!outcome || outcome.status === 0) return outcome;
  throw new CommandError(command, outcome.stderr.trim() || endText(outcome));
}

function runHere(command: string, program: string, words: readonly string[], input: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const options = { maxBuffer: 2 ** 28, env: { ...process.env, LC_ALL: 'C' } };
    const child = execFile(program, words, options, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(new CommandError(command, stderr.trim() || error.message, { cause: error }));
    });
    if (program === 'nft') rememberProcess(child.pid);
    // A program that ends before it has read everything says why itself.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

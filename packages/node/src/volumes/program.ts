import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Words for setpriv: the program ends when we are killed. Nobody else would end it, and whoever comes next begins anew. */
export const DIE_WITH_PARENT = ['--pdeathsig', 'KILL', '--'];

/** Runs a program that ends with us. Throws what it complained of, without the command that nobody typed. */
export async function runChild(words: readonly string[], signal?: AbortSignal): Promise<void> {
  try {
    await run('setpriv', [...DIE_WITH_PARENT, ...words], signal ? { signal } : {});
  } catch (error) {
    signal?.throwIfAborted();
    const { stderr = '', message } = error as { stderr?: string; message: string };
    throw new Error(outputExcerpt(stderr) || message, { cause: error });
  }
}

/** The first lines of what a program wrote, as one. */
export const outputExcerpt = (output: string): string => output.trim().split('\n').slice(0, 3).join('; ').slice(0, 500);

import { execFile } from 'node:child_process';

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

/** Runs a program with a text as its input, and returns what it printed. */
export function run(program: string, words: readonly string[], input = ''): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = execFile(program, words, { maxBuffer: 2 ** 28 }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      reject(new CommandError([program, ...words].join(' '), stderr.trim() || error.message, { cause: error }));
    });
    // A program that ends before it has read everything says why itself.
    child.stdin?.on('error', () => {});
    child.stdin?.end(input);
  });
}

import { execFile } from 'node:child_process';

/** Runs a program to its end and returns what it printed; a failure names the command and quotes its last words. */
export function runCommand(
  program: string,
  args: readonly string[],
  options: { cwd?: string; env?: NodeJS.ProcessEnv; onOutput?: (text: string) => void } = {},
): Promise<string> {
  const env = { ...process.env, LC_ALL: 'C', ...options.env };
  return new Promise((resolve, reject) => {
    const child = execFile(program, args, { cwd: options.cwd, env, maxBuffer: 64 << 20 }, (error, stdout, stderr) => {
      if (!error) return resolve(stdout);
      const lastWords = `${stdout}${stderr}`.trim().split('\n').slice(-15).join('\n');
      reject(new Error(`${program} ${args.join(' ')}: ${lastWords || error.message}`, { cause: error }));
    });
    if (options.onOutput) child.stdout?.on('data', options.onOutput);
  });
}

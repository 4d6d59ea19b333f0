import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

/** The file that Node runs as `vireo`. */
export const entry = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** The tester's environment without its own VIREO_* settings. */
export function isolatedEnvironment(more: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  return { ...Object.fromEntries(outside), NO_COLOR: '1', ...more };
}

/** Runs the real command to its end, for tests. */
export function runVireo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const child = spawn(process.execPath, [entry, ...args], {
    env: isolatedEnvironment(env),
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    stderr += chunk;
  });
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, stdout, stderr }));
  });
}

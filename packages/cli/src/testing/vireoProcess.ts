import { spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';

const entry = fileURLToPath(new URL('../main.ts', import.meta.url));

export interface Finished {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the real command to its end, for tests; VIREO_* settings of the tester's shell do not reach it. */
export function runVireo(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Finished> {
  const outside = Object.entries(process.env).filter(([name]) => !name.startsWith('VIREO_'));
  const child = spawn(process.execPath, [entry, ...args], {
    env: { ...Object.fromEntries(outside), NO_COLOR: '1', ...env },
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

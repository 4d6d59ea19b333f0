import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Sets space aside for a whole file; what is in it stays. */
export async function preallocate(path: string, sizeBytes: number): Promise<void> {
  await run('fallocate', ['--length', String(sizeBytes), path]);
}

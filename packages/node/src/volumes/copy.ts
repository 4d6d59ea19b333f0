import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Copies a disk: shares its blocks where the file system can, and else copies what is not a hole. */
export async function copyDisk(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await run('cp', ['--reflink=auto', '--sparse=auto', '--', from, to], signal ? { signal } : {});
}

import { execFile } from 'node:child_process';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** Words for setpriv: the program ends when we are killed. Nobody else would end it, and whoever comes next begins anew. */
export const WITH_US = ['--pdeathsig', 'KILL', '--'];

/** Copies a disk: shares its blocks where the file system can, and else copies what is not a hole. */
export async function copyDisk(from: string, to: string, signal?: AbortSignal): Promise<void> {
  await run('setpriv', [...WITH_US, 'cp', '--reflink=auto', '--sparse=auto', '--', from, to], signal ? { signal } : {});
}

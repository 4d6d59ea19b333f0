import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { nodeLayout } from '@vireo/node';
import { endDaemon } from '../bench/vms/libvirtd.ts';
import { end, processesWith, removeNetworkOf } from '../e2e/vms/leftovers.ts';

const run = promisify(execFile);

/** Room for all launchers, which ask for 50 MB each, and little enough to be filled in a moment. */
const SIZE = '768m';

/** An empty home for a storm. `canFill`: it has a file system of its own, whose end harms nobody else. */
export interface Home extends AsyncDisposable {
  readonly path: string;
  readonly canFill: boolean;
}

/** Makes a home, on a file system in memory where this user may mount one. */
export async function makeHome(): Promise<Home> {
  const path = await mkdtemp(join(tmpdir(), 'vireo-faults-'));
  const canFill = await run('mount', ['-t', 'tmpfs', '-o', `size=${SIZE},mode=0700`, 'vireo-faults', path]).then(
    () => true,
    () => false,
  );
  return {
    path,
    canFill,
    [Symbol.asyncDispose]: async () => {
      await endDaemon(nodeLayout(path, process.getuid?.() === 0)).catch(() => {});
      for (const { pid } of await processesWith(path)) if (pid !== process.pid) end(pid, 'SIGKILL');
      await removeNetworkOf(path);
      // Whoever has just been killed may still hold it.
      if (canFill) await run('umount', ['--lazy', path]);
      await rm(path, { recursive: true, force: true });
    },
  };
}

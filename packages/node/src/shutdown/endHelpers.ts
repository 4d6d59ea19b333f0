import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Log } from '@vireo/kube';
import { stopShares } from '../filesystems/daemons.ts';
import { DamagedLedger, readLedger } from '../guests/ledger.ts';
import { endProcesses } from '../guests/processes.ts';
import type { NodeLayout } from '../libvirtd/layout.ts';

/**
 * Ends what was to serve the guests of a node, and whatever else runs as one of them. All of it ends with its guest, but
 * what no guest has ever connected to would wait for ever.
 */
export async function endHelpers({ vmis, isRoot }: Pick<NodeLayout, 'vmis' | 'isRoot'>, log: Log): Promise<void> {
  const names = await readdir(vmis).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'ENOENT') throw error;
    return [];
  });
  for (const name of names) {
    const directory = join(vmis, name);
    await stopShares(directory, log);
    if (!isRoot) continue;
    const user = await readLedger(directory).catch((error: unknown) => {
      if (!(error instanceof DamagedLedger)) throw error;
      log.warn('processes of a guest may go on', undefined, { error });
    });
    // As root it would be all processes of the host.
    if (user && user.uid > 0) await endProcesses(user);
  }
}

import type { Log } from '@vireo/kube';
import { nodeLayout } from '../libvirtd/layout.ts';
import { DeadMan } from './deadMan.ts';

/**
 * Starts the dead-man process of a home again, if it was armed and is gone. Asks no server: what an earlier run of the
 * agent has promised holds for the guests that still run.
 */
export async function resumeFencing(home: string, log: Pick<Log, 'error'>): Promise<void> {
  await new DeadMan(nodeLayout(home, process.getuid?.() === 0))
    .resume()
    .catch((error: unknown) => log.error('the dead-man process of the node does not start', undefined, { error }));
}

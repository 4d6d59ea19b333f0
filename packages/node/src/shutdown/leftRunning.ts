import { daemonPid } from '../libvirtd/daemonPid.ts';
import { type NodeLayout, nodeLayout } from '../libvirtd/layout.ts';
import { type GuestProcess, guestProcesses } from './guestProcesses.ts';

/** What of a node runs, whether its agent does or not. */
export interface LeftRunning {
  readonly guests: readonly GuestProcess[];
  readonly libvirtdPid: number | undefined;
}

/** The places of a home's node, as this user's agent has them. */
export const ownLayout = (home: string): NodeLayout => nodeLayout(home, process.getuid?.() === 0);

/** The guests and the daemon of a home, as the kernel tells. */
export async function leftRunning(home: string): Promise<LeftRunning> {
  const layout = ownLayout(home);
  const [guests, libvirtdPid] = await Promise.all([guestProcesses(layout), daemonPid(layout)]);
  return { guests, libvirtdPid };
}

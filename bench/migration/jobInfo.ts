import type { NodeLayout } from '@vireo/node';
import { virsh } from '../vm/virshGuests.ts';

/** How long a guest stood still in its last move, by what libvirt of its new node says. */
export async function downtimeMs(layout: NodeLayout, domain: string): Promise<number> {
  return downtimeOf(await virsh(layout, 'domjobinfo', '--completed', domain));
}

/** The downtime in what `virsh domjobinfo` prints; throws where there is none. */
export function downtimeOf(text: string): number {
  const found = /^Total downtime:\s+(\d+)\s+(ms|s)\b/m.exec(text);
  if (!found) throw new Error(`libvirt tells no downtime:\n${text}`);
  return Number(found[1]) * (found[2] === 's' ? 1000 : 1);
}

import type { OrphanedGuest } from '@vireo/api/kinds/kubevirt/restored.ts';

/** A guest that the server does not know, and where it runs. */
export interface OrphanLine extends OrphanedGuest {
  readonly node: string;
}

/** The orphaned guests, the nodes that have not been heard of, and what is held back. */
export function orphansText(
  guests: readonly OrphanLine[],
  silentNodes: readonly string[],
  held: string | undefined,
): string {
  const width = Math.max(4, ...guests.map(({ node }) => node.length)) + 2;
  const row = (node: string, guest: string): string => `${node.padEnd(width)}${guest}`;
  const list = guests.length > 0 ? [row('NODE', 'GUEST'), ...guests.map(({ node, key }) => row(node, key))] : [];
  return [
    ...list,
    ...(guests.length === 0 ? ['No node reports guests that the server does not know.'] : []),
    ...(silentNodes.length > 0
      ? [
          `Not heard of: ${silentNodes.join(', ')}. If such a host runs, name the address of the server there: ` +
            'vireo join HOST:PORT. If it is off: vireo node fence NODE',
        ]
      : []),
    ...(held === undefined ? [] : [`No VM starts: ${held}.`]),
  ].join('\n');
}

/** What a server that was restored from a backup, its nodes and its administrator tell each other. */

import type { Node } from '../core/node.ts';
import type { KubeVirt } from './kubeVirt.ts';

/** On the KubeVirt object: the server was restored from a backup while its nodes went on. The value is new each time. */
export const RESTORED_ANNOTATION = 'vireo.io/restored';
/** On the KubeVirt object: of which restore an administrator says that VMs may start again. */
export const RESTORE_CONFIRMED_ANNOTATION = 'vireo.io/restore-confirmed';
/** On a Node: the guests that run there and that the restored server does not know, as JSON. */
export const ORPHANS_ANNOTATION = 'vireo.io/orphaned-guests';
/** On a Node: uids of those that are to be shut down, with commas between them. */
export const STOP_ORPHANS_ANNOTATION = 'vireo.io/stop-orphans';

/** The value of the annotation for a backup of one moment that is restored at another. */
export const restoredText = (backupAt: string, restoredAt: string): string => `${restoredAt} backup=${backupAt}`;

/** Why no VM is started; undefined where they may be. */
export function heldStartsReason({ metadata }: Pick<KubeVirt, 'metadata'>): string | undefined {
  const { [RESTORED_ANNOTATION]: restored, [RESTORE_CONFIRMED_ANNOTATION]: confirmed } = metadata.annotations ?? {};
  if (restored === undefined || restored === confirmed) return undefined;
  const backupAt = /backup=(\S+)/.exec(restored)?.[1];
  return (
    `the server was restored from a backup${backupAt ? ` of ${backupAt}` : ''}, and nodes may run guests that it does ` +
    'not know: VMs start when an administrator has looked at them (vireo orphans) and confirms it (vireo orphans --confirm)'
  );
}

/** A guest that runs on a node without a VMI that the server knows. */
export interface OrphanedGuest {
  /** `namespace/name` of the VMI that it was. */
  readonly key: string;
  readonly uid: string;
}

/** The guests that a node reports; none where it reports nothing that can be read. */
export function orphanedGuests({ metadata }: Node): readonly OrphanedGuest[] {
  try {
    const guests: unknown = JSON.parse(metadata.annotations?.[ORPHANS_ANNOTATION] ?? '[]');
    return Array.isArray(guests) ? (guests as OrphanedGuest[]) : [];
  } catch {
    return [];
  }
}

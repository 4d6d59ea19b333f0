import { HARVESTER_GROUP } from '@vireo/api/kinds/harvester/names.ts';

/** How a VM says that a restore of a backup has hold of it. No restore of a snapshot can have that name. */
export const holderOf = (restore: string): string => `${HARVESTER_GROUP}/${restore}`;

/** Whether what has hold of a VM is a restore of a backup. */
export const isHeldByBackupRestore = (holder: string): boolean => holder.startsWith(`${HARVESTER_GROUP}/`);

/** The name of the restore of a backup that has hold of a VM; undefined where none has. */
export const restoreHolding = (holder: string | undefined): string | undefined =>
  holder !== undefined && isHeldByBackupRestore(holder) ? holder.slice(HARVESTER_GROUP.length + 1) : undefined;

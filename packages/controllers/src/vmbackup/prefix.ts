import type { HarvesterBackup } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { backupPrefix } from '@vireo/backup';

/** Where a backup is at its target: by the VM that it is of, so that another of its name is another. */
export const prefixOf = ({ metadata, status }: HarvesterBackup): string | undefined =>
  status?.sourceUID
    ? backupPrefix({ namespace: metadata.namespace ?? '', name: metadata.name ?? '', uid: status.sourceUID })
    : undefined;

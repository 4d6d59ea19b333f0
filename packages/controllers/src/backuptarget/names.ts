/** On backups that were found at the target: nobody is to make them anew. */
export const FOUND_BACKUP = 'vireo.io/found-on-backup-target';

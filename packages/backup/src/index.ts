export {
  backupPrefix,
  beginBackup,
  commitBackup,
  discardVolume,
  type FoundBackup,
  listBackups,
  namespaceOf,
  prefixOfVolume,
  readBackup,
  removeBackup,
  removeUnfinished,
  sweepUnfinished,
  volumePrefix,
} from './backups.ts';
export { type OpenOptions, openStore } from './open.ts';
export { type S3Identity, signedHeaders } from './s3/sign.ts';
export { type BackupStore, Damaged, TargetUnusable } from './store.ts';
export { type BackupTargetSetting, describeTarget, parseTarget } from './target.ts';
export { openVolume, type StoredDisk } from './volume/readVolume.ts';
export { type DiskData, writeVolume } from './volume/writeVolume.ts';

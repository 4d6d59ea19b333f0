import type { FilesystemOverhead } from './cdiConfig.ts';

/** CDI's share of a volume for its filesystem, where its configuration has none. */
export const DEFAULT_FILESYSTEM_OVERHEAD = '0.055';

/** The share of a volume of that class that its filesystem takes, by the status of CDI's configuration. */
export const filesystemOverheadOf = (
  overhead: FilesystemOverhead | undefined,
  storageClass: string | undefined,
): string | undefined => overhead?.storageClass?.[storageClass ?? ''] ?? overhead?.global;

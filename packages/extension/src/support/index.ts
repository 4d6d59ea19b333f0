import type { Archives } from './archives.ts';
import type { ArchiveFile } from './zip.ts';

/** What the extension needs to collect an installation's state for people who help. */
export interface Support {
  /** Where archives are kept. */
  readonly archives: Archives;
  /** What only the host knows: logs of our own, of the hypervisor. None on a cluster. */
  readonly hostFiles?: (problems: (what: string) => void) => AsyncIterable<ArchiveFile>;
}

export { Archives, writeArchive } from './archives.ts';
export { clusterFiles, SUPPORT_KINDS } from './clusterFiles.ts';
export { redact } from './redact.ts';
export { type ArchiveFile, zip } from './zip.ts';

import { runWithUs } from '../program.ts';

/** Sets space aside for a whole file; what is in it stays. */
export const preallocate = (path: string, sizeBytes: number): Promise<void> =>
  runWithUs(['fallocate', '--length', String(sizeBytes), path]);

import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** On the disk that temporary files are on: TMPDIR chooses another. */
export const temporaryDirectory = (): Promise<string> => mkdtemp(join(tmpdir(), 'vireo-bench-'));

import { rename, writeFile } from 'node:fs/promises';

/**
 * Puts a file in the place of another, which whoever reads that keeps. `flush`: it is whole also after a power cut.
 */
export async function replaceFile(path: string, data: string | Buffer, { flush = false } = {}): Promise<void> {
  await writeFile(`${path}.new`, data, { mode: 0o600, flush });
  await rename(`${path}.new`, path);
}

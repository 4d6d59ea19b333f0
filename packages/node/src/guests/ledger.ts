import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Grant } from './grants.ts';

/** Who a machine is, and what it was given: kept with its files, for whoever cleans up after it. */
export interface Ledger {
  readonly uid: number;
  readonly grants: readonly Grant[];
}

const fileOf = (directory: string): string => join(directory, '.user.json');

/** The ledger of a machine, by its directory; undefined for one that has none, such as a guest that runs as root. */
export async function readLedger(directory: string): Promise<Ledger | undefined> {
  const text = await readFile(fileOf(directory), 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  return text === undefined ? undefined : (JSON.parse(text) as Ledger);
}

export async function writeLedger(directory: string, ledger: Ledger): Promise<void> {
  const path = fileOf(directory);
  await writeFile(`${path}.new`, JSON.stringify(ledger), { mode: 0o600 });
  await rename(`${path}.new`, path);
}

export const removeLedger = (directory: string): Promise<void> => rm(fileOf(directory), { force: true });

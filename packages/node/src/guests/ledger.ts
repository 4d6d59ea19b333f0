import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../replaceFile.ts';
import type { Grant } from './grants.ts';

/** Who a machine is, and what it was given: kept with its files, for whoever cleans up after it. */
export interface Ledger {
  readonly uid: number;
  readonly gid: number;
  readonly grants: readonly Grant[];
}

const fileOf = (directory: string): string => join(directory, '.user.json');

/** A ledger that says nothing that could be understood. */
export class DamagedLedger extends Error {
  override readonly name = 'DamagedLedger';
}

/** The ledger of a machine, by its directory; undefined for one that has none, such as a guest that runs as root. */
export async function readLedger(directory: string): Promise<Ledger | undefined> {
  const path = fileOf(directory);
  const text = await readFile(path, 'utf8').catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT' || error.code === 'ENOTDIR') return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    const { uid, gid, grants } = JSON.parse(text) as Ledger;
    if (Number.isInteger(uid) && Number.isInteger(gid) && Array.isArray(grants)) return { uid, gid, grants };
  } catch {
    // Said below.
  }
  throw new DamagedLedger(`${path} cannot be understood`);
}

/**
 * Whole, or not at all. What was granted outlives a host that goes off; who a machine is does not matter then, for its
 * guest is gone as well.
 */
export async function writeLedger(directory: string, ledger: Ledger): Promise<void> {
  await replaceFile(fileOf(directory), JSON.stringify(ledger), { flush: ledger.grants.length > 0 });
}

export const removeLedger = (directory: string): Promise<void> => rm(fileOf(directory), { force: true });

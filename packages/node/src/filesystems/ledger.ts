import { readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Daemon } from './virtiofsd.ts';

/** A virtiofsd of a VMI, as it is noted in the directory of the VMI: an agent that comes later knows it from there. */
export interface NotedDaemon extends Daemon {
  /** The filesystem that it serves. */
  readonly name: string;
  /** The directory of the host, where an administrator has it shared with `vireo mount`. */
  readonly hostPath?: string;
  readonly isReadOnly: boolean;
}

const pathOf = (directory: string): string => join(directory, 'virtiofsd.json');

/** The virtiofsds that were started for a VMI, by the directory of its files. Some may have ended. */
export async function readLedger(directory: string): Promise<NotedDaemon[]> {
  const text = await readFile(pathOf(directory), 'utf8').catch(() => '[]');
  return JSON.parse(text) as NotedDaemon[];
}

/** Replaces the notes as a whole. */
export async function writeLedger(directory: string, daemons: readonly NotedDaemon[]): Promise<void> {
  await writeFile(`${pathOf(directory)}.new`, JSON.stringify(daemons), { mode: 0o600 });
  await rename(`${pathOf(directory)}.new`, pathOf(directory));
}

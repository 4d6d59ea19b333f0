import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { replaceFile } from '../replaceFile.ts';
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
export async function readNotes(directory: string): Promise<NotedDaemon[]> {
  const path = pathOf(directory);
  try {
    return JSON.parse(await readFile(path, 'utf8')) as NotedDaemon[];
  } catch (error) {
    // Whoever has no directory has no notes.
    if (['ENOENT', 'ENOTDIR'].includes((error as NodeJS.ErrnoException).code ?? '')) return [];
    throw new Error(`cannot read the notes on virtiofsd in ${path}: ${(error as Error).message}`, { cause: error });
  }
}

/** Replaces the notes as a whole. */
export async function writeNotes(directory: string, daemons: readonly NotedDaemon[]): Promise<void> {
  await replaceFile(pathOf(directory), JSON.stringify(daemons), { flush: true });
}

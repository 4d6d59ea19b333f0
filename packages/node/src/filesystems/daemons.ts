import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { consoleLog, type Log } from '@vireo/kube';
import { VolumeError } from '../disks/volumeError.ts';
import { cutLog } from '../libvirtd/logBound.ts';
import { removeTree } from '../removeTree.ts';
import { Turns } from '../turns.ts';
import { type NotedDaemon, readNotes, writeNotes } from './notes.ts';
import { findVirtiofsd, NO_PROGRAM } from './program.ts';
import type { Share } from './shares.ts';
import { isAlive, isListening, startDaemon, stopDaemon } from './virtiofsd.ts';

/** Where the daemons of a VMI are noted, and where their sockets are. */
export interface DaemonSite {
  readonly directory: string;
  readonly sockets: string;
  /** Who may connect: whom the guest runs as, where that is a user of its own. */
  readonly user?: { readonly uid: number; readonly gid: number } | undefined;
  /** Called with each that was started, before anybody connects to it. */
  readonly onStart?: (pid: number) => Promise<void>;
  /** Called when one of them ends. */
  readonly onExit: () => void;
}

/** Starts what serves the shares of a VMI that is about to start. Says where QEMU finds each, by filesystem. */
export async function startShares(
  shares: readonly Share[],
  site: DaemonSite,
): Promise<Record<string, { socket: string }>> {
  await stopIdleDaemons(site.directory);
  const sockets: Record<string, { socket: string }> = {};
  for (const share of shares) sockets[share.name] = { socket: (await startShare(share, site)).socket };
  return sockets;
}

/** Starts a virtiofsd for one share. */
export const startShare = (share: Share, site: DaemonSite, hostPath?: string): Promise<NotedDaemon> =>
  turns.take(site.directory, () => startInTurn(share, site, hostPath));

async function startInTurn(share: Share, site: DaemonSite, hostPath: string | undefined): Promise<NotedDaemon> {
  const program = await findVirtiofsd();
  if (!program) throw new VolumeError('CreateContainerConfigError', NO_PROGRAM);
  const { directory } = site;
  const others = await livingDaemons(directory);
  const { name, isReadOnly } = share;
  const place = await takePlace(site.sockets);
  let note: NotedDaemon | undefined;
  try {
    await boundLog(directory);
    await startDaemon({
      ...share,
      program,
      log: logOf(directory),
      place,
      user: site.user,
      // Whoever comes after us must know it, from the first moment on.
      onSpawn: async (daemon) => {
        note = { ...daemon, name, isReadOnly, ...(hostPath !== undefined && { hostPath }) };
        await writeNotes(directory, [...others, note]);
      },
      onExit: site.onExit,
      ...(!share.owner && { hasSubordinates: await hasSubordinates() }),
    });
    if (!note) throw new Error('virtiofsd was not noted');
    await site.onStart?.(note.pid);
    return note;
  } catch (error) {
    if (note) await stopDaemon(note);
    await removeTree(place);
    throw error;
  }
}

/** Work on the daemons of a VMI, by its directory: one at a time, for they share the notes and the places. */
const turns = new Turns();

/** Makes a directory that nobody has: one that ended may have left its own. */
async function takePlace(sockets: string): Promise<string> {
  await mkdir(sockets, { recursive: true, mode: 0o711 });
  for (let index = 0; ; index++) {
    const place = join(sockets, `fs${index}`);
    try {
      await mkdir(place, { mode: 0o711 });
      return place;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    }
  }
}

/** Where all daemons of a VMI write. */
const logOf = (directory: string): string => join(directory, 'virtiofsd.log');
const LARGEST_LOG_BYTES = 1 << 20;

/** Keeps what daemons say from filling the disk. Guests can make them say much. */
export const boundLog = (directory: string): Promise<void> => cutLog(logOf(directory), LARGEST_LOG_BYTES);

/** The daemons of a VMI that have not ended. */
export async function livingDaemons(directory: string): Promise<NotedDaemon[]> {
  const noted = await readNotes(directory);
  const living = await Promise.all(noted.map(isAlive));
  return noted.filter((_, index) => living[index]);
}

/** Ends those that nobody has connected to: an earlier try of a start has left them waiting, or a needless one. */
export const stopIdleDaemons = (directory: string): Promise<void> =>
  turns.take(directory, async () => {
    for (const daemon of await livingDaemons(directory)) if (await isListening(daemon.pid)) await stopDaemon(daemon);
  });

/** Ends all daemons of a VMI whose guest is gone. */
export const stopShares = (directory: string, log: Log = consoleLog): Promise<void> =>
  turns.take(directory, async () => {
    const noted = await readNotes(directory).catch((error: unknown) => {
      // They would never be readable again, and the rest of the VMI has to go all the same.
      log.warn('some virtiofsd of a VMI may go on', undefined, { error });
      return [];
    });
    for (const daemon of noted) await stopDaemon(daemon);
  });

const run = promisify(execFile);
let subordinates: Promise<boolean> | undefined;

/** Whether our user has further users, from /etc/subuid, to give to guests. */
const hasSubordinates = (): Promise<boolean> => {
  subordinates ??= run('unshare', ['--user', '--map-root-user', '--map-auto', 'true']).then(
    () => true,
    () => false,
  );
  return subordinates;
};

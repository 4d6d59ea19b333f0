import { execFile } from 'node:child_process';
import { access, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { VolumeError } from '../disks/volumeError.ts';
import { type NotedDaemon, readLedger, writeLedger } from './ledger.ts';
import { findVirtiofsd } from './program.ts';
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

/** Starts a virtiofsd for one share, and notes it before anybody connects. */
export async function startShare(share: Share, site: DaemonSite, hostPath?: string): Promise<NotedDaemon> {
  const program = await findVirtiofsd();
  if (!program) throw new VolumeError('CreateContainerConfigError', 'this node has no virtiofsd');
  const noted = await livingDaemons(site.directory);
  const log = join(site.directory, 'virtiofsd.log');
  const daemon = await startDaemon({
    ...share,
    program,
    log,
    place: await freePlace(site.sockets),
    user: site.user,
    onExit: site.onExit,
    ...(!share.owner && { hasSubordinates: await hasSubordinates() }),
  });
  await site.onStart?.(daemon.pid);
  const { name, isReadOnly } = share;
  const note = { ...daemon, name, isReadOnly, ...(hostPath !== undefined && { hostPath }) };
  await writeLedger(site.directory, [...noted, note]);
  return note;
}

/** A directory that nobody has: one that ended may have left its own. */
async function freePlace(sockets: string): Promise<string> {
  for (let index = 0; ; index++) {
    const place = join(sockets, `fs${index}`);
    const isTaken = await access(place).then(
      () => true,
      () => false,
    );
    if (isTaken) continue;
    await mkdir(sockets, { recursive: true, mode: 0o711 });
    return place;
  }
}

/** The daemons of a VMI that have not ended. */
export async function livingDaemons(directory: string): Promise<NotedDaemon[]> {
  const noted = await readLedger(directory);
  const living = await Promise.all(noted.map(isAlive));
  return noted.filter((_, index) => living[index]);
}

/** Ends those that an earlier try of a start has left waiting. */
async function stopIdleDaemons(directory: string): Promise<void> {
  for (const daemon of await livingDaemons(directory)) if (await isListening(daemon.pid)) await stopDaemon(daemon);
}

/** Ends all daemons of a VMI whose guest is gone. */
export async function stopShares(directory: string): Promise<void> {
  for (const daemon of await readLedger(directory)) await stopDaemon(daemon);
}

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

import { setTimeout as delay } from 'node:timers/promises';
import { leftRunning } from '@vireo/node/shutdown/leftRunning.ts';
import { formatDuration } from '../duration.ts';
import { errorCode, Failure } from '../failure.ts';
import { localNodeHomes } from '../localNodes/plan.ts';
import { processIdentity } from '../processIdentity.ts';
import { readServerRecord, type ServerRecord } from '../serverRecord.ts';
import { explainHomeError } from '../startError.ts';
import { shellWord } from './readyText.ts';
import { countOfVms, departureLine, progressLine } from './shutdownText.ts';

export interface DownOptions {
  readonly home: string;
  /** Switch guests off at once. */
  readonly force?: boolean;
  /** End the server alone. */
  readonly keepGuests?: boolean;
  /** How long VMs may take to move to other nodes; default: as long as they may take to shut down. */
  readonly drainTimeout?: number;
}

const EXIT_TIMEOUT_MS = 60_000;

/** Ends the server of a home, then its guests, then libvirtd, and waits for their ends. */
export async function down({ home, force = false, keepGuests = false, drainTimeout }: DownOptions): Promise<void> {
  const record = readRecord(home);
  // As long as its agent is there, and the server, what may move to other nodes does.
  if (record && !force && !keepGuests) await evacuate(home, record, drainTimeout);
  // The server first: as long as it is there it starts again what should run.
  if (record) await endServer(record, home);
  // Further nodes of this host have homes below.
  const homes = await Promise.all(
    [home, ...(await localNodeHomes(home))].map(async (each) => ({ home: each, ...(await leftRunning(each)) })),
  );
  const guests = homes.flatMap((each) => each.guests);
  if (keepGuests) {
    if (!record) console.log(`No server is running on ${home}.`);
    if (guests.length > 0) console.log(`${countOfVms(guests.length)} keep${guests.length === 1 ? 's' : ''} running.`);
    return;
  }
  const running = homes.filter((each) => each.guests.length > 0 || each.libvirtdPid !== undefined);
  if (running.length === 0 && !record) console.log(`No server is running on ${home}, and no VMs are running.`);
  for (const each of running) await endNode(each.home, force);
  if (homes.length > 1) await (await import('../localNodes/network.ts')).removeNetworkOf(home);
}

function readRecord(home: string): ServerRecord | undefined {
  try {
    return readServerRecord(home);
  } catch (error) {
    throw explainHomeError(error, home);
  }
}

async function endServer(record: ServerRecord, home: string): Promise<void> {
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  terminate(record, home);
  while (processIdentity(record.pid) === record.identity) {
    if (elapsed() > EXIT_TIMEOUT_MS) {
      throw new Failure(
        `the server with pid ${record.pid} did not exit within ${formatDuration(EXIT_TIMEOUT_MS)} of SIGTERM`,
        `To end it immediately: kill -KILL ${record.pid}. Acknowledged writes are on disk.`,
      );
    }
    await delay(25);
  }
  const what = record.node ? `node ${record.node.name}` : 'server';
  console.log(`Stopped the ${what} on ${home} (pid ${record.pid}) in ${formatDuration(elapsed())}.`);
}

function terminate(record: ServerRecord, home: string): void {
  try {
    process.kill(record.pid, 'SIGTERM');
  } catch (error) {
    if (errorCode(error) === 'ESRCH') return;
    if (errorCode(error) !== 'EPERM') throw error;
    throw new Failure(
      `the server on ${home} (pid ${record.pid}) belongs to another user`,
      'Stop it as that user or as root.',
    );
  }
}

async function evacuate(home: string, record: ServerRecord, timeoutMs: number | undefined): Promise<void> {
  const { leaveHost } = await import('./leaveNode.ts');
  const print = linePrinter();
  try {
    await leaveHost(home, record, {
      timeoutMs,
      onProgress: (progress) => {
        if (progress.left.length > 0 && progress.remainingMs > 0) print(departureLine(progress), progress.left.length);
        else print.end();
      },
    });
  } finally {
    print.end();
  }
}

async function endNode(home: string, force: boolean): Promise<void> {
  // Loaded here, so that the other commands start without it.
  const { shutDownNode } = await import('@vireo/node');
  const startedAt = performance.now();
  let total = 0;
  const print = linePrinter();
  try {
    await shutDownNode(home, {
      force,
      onProgress: (progress) => {
        total = progress.total;
        print(progressLine(progress), progress.left.length);
      },
    });
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Failure(
      `the VMs of ${home} cannot be shut down cleanly: ${reason}`,
      force ? undefined : `To power them off: vireo down --force --home ${shellWord(home)}`,
    );
  } finally {
    print.end();
  }
  const what = total > 0 ? `${countOfVms(total)} and libvirtd` : 'libvirtd';
  console.log(`Stopped ${what} in ${formatDuration(performance.now() - startedAt)}. All data is kept in ${home}.`);
}

/** Draws one line over and over on a terminal; elsewhere a line is printed when the count changes. */
function linePrinter(): ((line: string, count: number) => void) & { end(): void } {
  const isDrawn = process.stdout.isTTY === true;
  let last: number | undefined;
  const print = (line: string, count: number): void => {
    if (isDrawn) process.stdout.write(`\r${line}\x1b[K`);
    else if (count !== last) console.log(line);
    last = count;
  };
  return Object.assign(print, {
    end: () => {
      if (isDrawn && last !== undefined) process.stdout.write('\r\x1b[K');
    },
  });
}

import { setTimeout as delay } from 'node:timers/promises';
import { formatDuration } from '../duration.ts';
import { errorCode, Failure } from '../failure.ts';
import { processIdentity } from '../processIdentity.ts';
import { readServerRecord, type ServerRecord } from '../serverRecord.ts';

const patienceMs = 60_000;

/** Stops the server of a home and waits for its end. */
export async function down({ home }: { home: string }): Promise<void> {
  const record = readServerRecord(home);
  if (!record) {
    console.log(`No server runs on ${home}.`);
    return;
  }
  const startedAt = performance.now();
  const elapsed = (): number => performance.now() - startedAt;
  terminate(record, home);
  while (processIdentity(record.pid) === record.identity) {
    if (elapsed() > patienceMs) {
      throw new Failure(
        `the server with pid ${record.pid} has not ended ${formatDuration(patienceMs)} after SIGTERM`,
        `End it at once with: kill -KILL ${record.pid}. What was acknowledged is on disk.`,
      );
    }
    await delay(25);
  }
  console.log(`Stopped the server on ${home} (pid ${record.pid}) in ${formatDuration(elapsed())}.`);
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

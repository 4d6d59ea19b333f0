import { join } from 'node:path';
import { formatDuration } from '../../duration.ts';
import { Failure, TIMED_OUT } from '../../failure.ts';
import { problemsOfServer } from '../../readiness.ts';
import { readServerRecord } from '../../serverRecord.ts';
import { explainHomeError } from '../../startError.ts';
import { shellWord } from '../readyText.ts';
import { waitFor } from '../vms/waitFor.ts';

const INTERVAL_MS = 100;

/** Waits until the server of a home is ready. One that is yet to be started is waited for as well. */
export async function waitForServer(home: string, timeoutMs: number): Promise<void> {
  let problems: readonly string[] = [];
  const ask = async (): Promise<number | undefined> => {
    const record = recordOf(home);
    if (record?.port === undefined) {
      problems = [record ? 'it is still starting' : 'no server is running'];
      return undefined;
    }
    problems = await problemsOfServer(join(home, 'kubeconfig'));
    return problems.length === 0 ? record.port : undefined;
  };
  const port = await waitFor(ask, { timeoutMs, intervalMs: INTERVAL_MS });
  if (port === undefined) {
    throw new Failure(
      `the server on ${home} was not ready after ${formatDuration(timeoutMs)}: ${problems.join('; ')}`,
      `For details: vireo status --home ${shellWord(home)}, vireo logs --home ${shellWord(home)}`,
      { exitCode: TIMED_OUT },
    );
  }
  console.log(`The server on ${home} is ready. The Kubernetes API is at https://127.0.0.1:${port}`);
}

function recordOf(home: string) {
  try {
    return readServerRecord(home);
  } catch (error) {
    throw explainHomeError(error, home);
  }
}

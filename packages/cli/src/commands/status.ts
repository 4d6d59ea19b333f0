import { join } from 'node:path';
import { leftRunning } from '@vireo/node/shutdown/leftRunning.ts';
import { diskUseBytes } from '../diskUse.ts';
import { askServer } from '../readiness.ts';
import { readServerRecord } from '../serverRecord.ts';
import { explainHomeError } from '../startError.ts';
import { hasJoined, joinedStatus } from './node/status.ts';
import { type Status, statusText } from './statusText.ts';

/** Prints whether a server runs on a home and is ready, and what else runs there; the exit code says the former. */
export async function status({ home, output }: { home: string; output: string }): Promise<void> {
  const found = await findStatus(home);
  console.log(output === 'json' ? JSON.stringify(found, undefined, 2) : statusText(found));
  if (!found.ready) process.exitCode = 1;
}

async function findStatus(home: string): Promise<Status> {
  const record = recordOf(home);
  const [{ guests, libvirtdPid }, diskBytes] = await Promise.all([leftRunning(home), diskUseBytes(home)]);
  const rest = { guests: guests.map(({ key }) => key).sort(), libvirtdPid, diskBytes };
  if (!record) return { home, running: false, ready: false, ...(hasJoined(home) && { isNode: true }), ...rest };
  if (record.node) return { home, ...(await joinedStatus(record, record.node)), ...rest };
  const { pid, port, version, startedAt, apiOnly = false, plugins } = record;
  const ofPlugins = plugins && plugins.length > 0 ? { plugins } : {};
  const kubeconfig = join(home, 'kubeconfig');
  const answer = port === undefined ? { problems: ['it is still starting'] } : await askServer(kubeconfig, !apiOnly);
  const ready = answer.problems.length === 0;
  const about = { pid, port, version, startedAt, kubeconfig, apiOnly, ...ofPlugins };
  return { home, running: true, ready, ...about, ...answer, ...rest };
}

function recordOf(home: string) {
  try {
    return readServerRecord(home);
  } catch (error) {
    throw explainHomeError(error, home);
  }
}

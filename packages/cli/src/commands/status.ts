import { join } from 'node:path';
import { leftRunning } from '@vireo/node/shutdown/leftRunning.ts';
import { diskUseBytes } from '../diskUse.ts';
import { Failure, fileProblem } from '../failure.ts';
import { readServerRecord } from '../serverRecord.ts';
import { explainHomeError } from '../startError.ts';
import { hasJoined, joinedStatus } from './node/status.ts';
import type { ServerAnswer } from './status/askCluster.ts';
import { clusterText } from './status/clusterText.ts';
import { type Status, statusText } from './statusText.ts';

export interface StatusOptions {
  readonly home: string;
  /** Asks about the installation behind it, whatever runs on this host. */
  readonly kubeconfig?: string;
  readonly output: string;
}

/**
 * Prints whether a server runs on a home and is ready, and what else runs there; or, with a kubeconfig, whether the
 * installation that it leads to does its work. The exit code says so.
 */
export async function status({ home, kubeconfig, output }: StatusOptions): Promise<void> {
  const [found, text] = kubeconfig === undefined ? await ofHome(home) : await ofCluster(kubeconfig);
  console.log(output === 'json' ? JSON.stringify(found, undefined, 2) : text());
  if (!found.ready) process.exitCode = 1;
}

type Found<T> = readonly [found: T & { readonly ready: boolean }, text: () => string];

async function ofHome(home: string): Promise<Found<Status>> {
  const found = await findStatus(home);
  return [found, () => statusText(found)];
}

async function ofCluster(kubeconfig: string): Promise<Found<object>> {
  const { serverProblems: _, node: _1, ...found } = await ask(kubeconfig);
  return [{ ready: found.problems.length === 0, ...found }, () => clusterText(found)];
}

/** Loaded here, so that the other commands start without it. */
async function ask(kubeconfig: string, ownNode?: string): Promise<ServerAnswer> {
  const [{ loadKubeconfig }, { askCluster }] = await Promise.all([
    import('@vireo/kube'),
    import('./status/askCluster.ts'),
  ]);
  const config = await loadKubeconfig({ path: kubeconfig }).catch((error: unknown) => {
    throw new Failure(`the kubeconfig ${kubeconfig} cannot be used: ${fileProblem(error)}`);
  });
  return askCluster(config, ownNode);
}

async function findStatus(home: string): Promise<Status> {
  const record = recordOf(home);
  const [{ guests, libvirtdPid }, diskBytes] = await Promise.all([leftRunning(home), diskUseBytes(home)]);
  const rest = { guests: guests.map(({ key }) => key).sort(), libvirtdPid, diskBytes };
  if (!record) return { home, running: false, ready: false, ...(hasJoined(home) && { isNode: true }), ...rest };
  if (record.node) return { home, ...(await joinedStatus(record, record.node)), ...rest };
  const { pid, port, version, startedAt, apiOnly = false, ownNode, plugins } = record;
  const ofPlugins = plugins && plugins.length > 0 ? { plugins } : {};
  const kubeconfig = join(home, 'kubeconfig');
  const answer =
    port === undefined ? { problems: ['it is still starting'] } : await askServer(kubeconfig, apiOnly, ownNode);
  const ready = answer.problems.length === 0;
  const about = { pid, port, version, startedAt, kubeconfig, apiOnly, ...ofPlugins };
  return { home, running: true, ready, ...about, ...answer, ...rest };
}

type Answer = Pick<Status, 'node' | 'vms' | 'roles' | 'nodes' | 'certificates'> & {
  readonly problems: readonly string[];
};

/** One that cannot be reached is not ready. Whether its own parts are well, it says itself. */
async function askServer(kubeconfig: string, apiOnly: boolean, ownNode: string | undefined): Promise<Answer> {
  try {
    const { serverProblems: problems, node, vms, roles, nodes, certificates } = await ask(kubeconfig, ownNode);
    return { problems, ...(!apiOnly && { ...(node && { node }), vms }), roles, nodes, certificates };
  } catch (error) {
    return { problems: [`it does not respond: ${error instanceof Error ? error.message : String(error)}`] };
  }
}

function recordOf(home: string) {
  try {
    return readServerRecord(home);
  } catch (error) {
    throw explainHomeError(error, home);
  }
}

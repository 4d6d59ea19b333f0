import { existsSync } from 'node:fs';
import { get } from 'node:https';
import { urlHost } from '@vireo/kube/serving/hostAddress.ts';
import { nodeFiles } from '../../joining/nodeFiles.ts';
import type { JoinedNode, ServerRecord } from '../../serverRecord.ts';
import type { Status } from '../statusText.ts';

const TIMEOUT_MS = 5_000;

/** Whether the home is that of a node of another server's cluster. */
export const hasJoined = (home: string): boolean => existsSync(nodeFiles(home).record);

/** How the node of another server's cluster does. */
export async function joinedStatus(
  { pid, port, version, startedAt }: ServerRecord,
  { name, server, address }: JoinedNode,
): Promise<Omit<Status, 'home' | 'guests' | 'diskBytes'>> {
  const problem = port === undefined ? 'it is still starting' : await readinessProblem(address, port);
  return {
    running: true,
    ready: problem === undefined,
    ...(problem !== undefined && { problems: [problem] }),
    pid,
    port,
    version,
    startedAt,
    joined: { name, server },
  };
}

/** Its own process answers: whose certificate it shows does not matter here. */
function readinessProblem(address: string, port: number): Promise<string | undefined> {
  return new Promise((resolve) => {
    const url = `https://${urlHost(address)}:${port}/readyz`;
    get(url, { rejectUnauthorized: false, timeout: TIMEOUT_MS }, (response) => {
      response.resume();
      resolve(response.statusCode === 200 ? undefined : 'the node is not ready; its log says why');
    })
      .on('timeout', () => resolve('it does not respond'))
      .on('error', (error) => resolve(`it does not respond: ${error.message}`));
  });
}

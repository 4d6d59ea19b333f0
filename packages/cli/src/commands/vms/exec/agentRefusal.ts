import { ApiError } from '@vireo/api';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import type { Connection } from '../connection.ts';
import { orFail, reasonOf } from '../refusal.ts';

/** Whether the node says that the guest's agent refused, and for this reason. */
export const isRefusedByAgent = (error: unknown, reason: 'AgentCommandDisabled' | 'AgentCommandFailed'): boolean =>
  error instanceof ApiError && (error.status.details?.causes ?? []).some((cause) => cause.reason === reason);

/** Asks something of the guest's agent. What the agent refuses says by itself what to do. */
export const askGuest = <T>(
  connection: Connection,
  words: (why: string) => string,
  request: () => Promise<T>,
): Promise<T> =>
  orFail(connection, words, () =>
    request().catch((error: unknown) => {
      if (!(error instanceof ApiError) || error.code !== 400) throw error;
      throw new Failure(words(reasonOf(error)), undefined, { cause: error });
    }),
  );

/** Neither agent nor ssh lead into the guest. `agent`: why the agent does not. */
export function noWayIn(name: string, namespace: string, agent: string | undefined, hasKey: boolean): Failure {
  const ssh = hasKey ? 'ssh does not respond' : 'it does not accept any ssh key of this host';
  const here = `-n ${namespace}`;
  return new Failure(
    `cannot connect to VM ${name}: ${agent ? `${agent}, and ` : ''}${ssh}`,
    `If the guest has just started, try again in a moment. Set a key with -i FILE and a user with -l NAME, ` +
      `or log in on the console: ${programName} console ${name} ${here}`,
  );
}

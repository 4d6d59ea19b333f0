import { Node } from '@vireo/api';
import { consoleLog, pause, type Transport } from '@vireo/kube';
import { Backoff } from '@vireo/kube/backoff.ts';

const LONGEST_WAIT_MS = 10_000;

/** The status of the server's first answer, whatever it says: hosts start in any order. */
export async function untilAnswered(transport: Transport, node: string, signal: AbortSignal): Promise<number> {
  const backoff = new Backoff({ longestMs: LONGEST_WAIT_MS });
  for (;;) {
    try {
      return (await transport.call({ method: 'GET', path: '/version', signal })).status;
    } catch (error) {
      signal.throwIfAborted();
      consoleLog.warn('the API server does not answer; trying again', { kind: Node.kind, name: node }, { error });
    }
    await pause(backoff.nextMs(), signal);
    signal.throwIfAborted();
  }
}

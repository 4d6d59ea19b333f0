import type { IncomingMessage } from 'node:http';
import { unavailable } from '@vireo/api';
import { PLAIN_PROTOCOL } from '@vireo/api/kinds/kubevirt/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Clock } from '@vireo/kube';
import { WebSocket } from 'ws';
import { dialNodeOf, type NodeConnections, nameOf, nodePath } from './nodeConnections.ts';
import { readResponse } from './nodeRequest.ts';

const TIMEOUT_MS = 15_000;

/**
 * Opens a stream to the node of a VMI. It is paused: what comes before somebody listens is kept. Refusals of the
 * node are thrown as they came.
 */
export async function openNodeSocket(
  nodes: NodeConnections,
  vmi: VirtualMachineInstance,
  path: string,
  clock: Clock,
): Promise<WebSocket> {
  const dial = dialNodeOf(nodes, vmi);
  const { promise, resolve, reject } = Promise.withResolvers<WebSocket>();
  const socket = new WebSocket(`ws://node${nodePath(vmi, path)}`, PLAIN_PROTOCOL, {
    createConnection: dial as never,
    perMessageDeflate: false,
  });
  const fail = (why: string): void => {
    reject(unavailable(`node "${vmi.status?.nodeName}" cannot open a stream to ${nameOf(vmi)}: ${why}`));
  };
  const cancel = clock.after(TIMEOUT_MS, () => {
    fail(`no response within ${TIMEOUT_MS / 1000} s`);
    socket.terminate();
  });
  socket.once('open', () => {
    socket.pause();
    resolve(socket);
  });
  socket.once('unexpected-response', (_, response: IncomingMessage) => {
    readResponse(response).then(({ status }) => fail(`HTTP ${status} instead of a WebSocket`), reject);
  });
  socket.on('error', (error) => fail(error.message));
  return promise.finally(cancel);
}

import type { Socket } from 'node:net';
import { type Clock, pause } from '@vireo/kube';

const REQUEST = /^GET (\/metrics\/XML)(\?.*)?$/;
const REFUSAL = 'INVALID REQUEST\n\n';
const LONGEST_REQUEST = 1_000;
/** A guest is answered no more often. */
const BETWEEN_REQUESTS_MS = 1_000;

/**
 * Answers what a guest asks on its virtio-serial port, until the connection ends: `GET /metrics/XML` and an empty line,
 * one after the other. `report`: the document, anew for each.
 */
export async function serveMetrics(socket: Socket, report: () => Promise<string>, clock: Clock): Promise<void> {
  let text = '';
  const ended = new AbortController();
  socket.once('close', () => ended.abort());
  try {
    for await (const chunk of socket.setEncoding('utf8') as AsyncIterable<string>) {
      text += chunk;
      for (;;) {
        const request = /^([^\n]*)\n([^\n]*)\n/.exec(text);
        if (!request) break;
        text = text.slice(request[0].length);
        const [line, empty] = [request[1], request[2]].map((part) => (part ?? '').replace(/\r$/, ''));
        socket.write(REQUEST.test(line ?? '') && empty === '' ? `${await report()}\n\n` : REFUSAL);
        await pause(BETWEEN_REQUESTS_MS, ended.signal, clock);
      }
      if (text.length > LONGEST_REQUEST) {
        text = '';
        socket.write(REFUSAL);
      }
    }
  } catch {
    // QEMU has ended, or we have.
  } finally {
    socket.destroy();
  }
}

import { STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import type { ApiRequest } from '@vireo/kube';
import type { OutboundResponse } from '../services/outbound/channel.ts';
import { answeredHeaders } from './frontProxy.ts';
import { outboundRequest, type ProxyTarget, proxyError } from './proxy.ts';

/** How long a client may take for the answer of a server that does not upgrade. */
const REFUSAL_MS = 10_000;

/** Hands a request for an upgrade on, and then every byte in both directions until one side ends. */
export async function tunnel(request: ApiRequest, socket: Duplex, head: Buffer, target: ProxyTarget): Promise<void> {
  const { upgrade = '' } = request.headers;
  const outgoing = await outboundRequest(request, target, request.signal);
  // What else a client names as its connection's own might be the user: a proxy on the way would take it out.
  const headers = { ...outgoing.headers, connection: 'Upgrade', upgrade };
  let answered: Awaited<ReturnType<ProxyTarget['channel']['upgrade']>>;
  try {
    answered = await target.channel.upgrade({ ...outgoing, headers });
  } catch (error) {
    refuse(socket, (error as Error).message);
    return;
  }
  if (!('socket' in answered)) {
    await relayRefusal(socket, answered);
    return;
  }
  const { response, socket: backend, head: first } = answered;
  socket.write(headOf(101, response.rawHeaders));
  if (first.length > 0) socket.write(first);
  if (head.length > 0) backend.write(head);
  join(socket, backend);
}

/** Both end together, however one of them ends. */
function join(client: Duplex, backend: Duplex): void {
  const end = (): void => {
    client.destroy();
    backend.destroy();
  };
  for (const side of [client, backend]) {
    side.once('error', end);
    side.once('close', end);
  }
  client.pipe(backend);
  backend.pipe(client);
}

function headOf(status: number, rawHeaders: readonly string[]): string {
  const lines: string[] = [];
  for (let index = 0; index + 1 < rawHeaders.length; index += 2)
    lines.push(`${rawHeaders[index]}: ${rawHeaders[index + 1]}`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status] ?? ''}\r\n${lines.map((line) => `${line}\r\n`).join('')}\r\n`;
}

/** Refuses in plain text, as the proxy does. */
export function refuse(socket: Duplex, message: string): void {
  const { status, bytes, contentType } = proxyError(message);
  const headers = ['Content-Type', contentType, 'X-Content-Type-Options', 'nosniff'];
  socket.end(`${headOf(status, [...headers, 'Content-Length', String(bytes.length), 'Connection', 'close'])}${bytes}`);
}

/** What the server behind says instead of upgrading. Only errors are answers to that. */
async function relayRefusal(socket: Duplex, { status, headers, body }: OutboundResponse): Promise<void> {
  if (status < 400) {
    body.destroy();
    refuse(socket, `invalid upgrade response: status code ${status}`);
    return;
  }
  const late = setTimeout(() => socket.destroy(), REFUSAL_MS);
  socket.once('close', () => {
    clearTimeout(late);
    body.destroy();
  });
  const pairs = Object.entries(answeredHeaders(headers)).flatMap(([name, values]) =>
    [values].flat().flatMap((value) => [name, value]),
  );
  socket.write(headOf(status, [...pairs, 'connection', 'close']));
  body.pipe(socket);
}

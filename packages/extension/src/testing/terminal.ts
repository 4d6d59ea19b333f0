import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { PLAIN_PROTOCOL } from '@vireo/api/kinds/kubevirt/names.ts';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { WebSocket } from 'ws';
import type { Installation } from './installation.ts';

/** The end of a stream that a user holds: what virtctl has, over the real port with the administrator's certificate. */
export class Terminal {
  readonly socket: WebSocket;
  /** What came so far. */
  text = '';
  closed: { code: number; reason: string } | undefined;
  pings = 0;

  constructor(socket: WebSocket) {
    this.socket = socket;
    socket.on('message', (data: Buffer, isBinary) => {
      this.text += isBinary ? data.toString() : `<text message ${data.toString()}>`;
    });
    socket.on('close', (code, reason) => {
      this.closed = { code, reason: reason.toString() };
    });
    socket.on('ping', () => this.pings++);
    socket.on('error', () => {});
  }

  type(text: string): void {
    this.socket.send(Buffer.from(text));
  }

  shows(text: string): Promise<void> {
    return eventually(() => this.text.includes(text));
  }

  ended(): Promise<void> {
    return eventually(() => this.closed !== undefined);
  }
}

export const STREAMS = '/apis/subresources.kubevirt.io/v1/namespaces/default';

/** Opens a stream, or gives the code and the body of the refusal. `as`: an administrator of another name. */
export function open(
  { server }: Installation,
  path: string,
  as?: string,
): Promise<Terminal | { code: number; body: unknown }> {
  const read = (name: string): Buffer => readFileSync(join(server.home, 'pki', name));
  const { promise, resolve, reject } = Promise.withResolvers<Terminal | { code: number; body: unknown }>();
  const socket = new WebSocket(`wss://127.0.0.1:${server.server.port}${STREAMS}/${path}`, PLAIN_PROTOCOL, {
    ca: read('ca.crt'),
    cert: read('admin.crt'),
    key: read('admin.key'),
    ...(as !== undefined && { headers: { 'impersonate-user': as, 'impersonate-group': 'system:masters' } }),
  });
  const terminal = new Terminal(socket);
  socket.once('open', () => resolve(terminal));
  socket.once('unexpected-response', async (_, response: IncomingMessage) => {
    const text = Buffer.concat(await response.toArray()).toString();
    resolve({ code: response.statusCode ?? 0, body: JSON.parse(text) });
  });
  socket.once('error', reject);
  return promise;
}

/** Opens a stream that must not be refused. */
export async function terminal(installation: Installation, path: string, as?: string): Promise<Terminal> {
  const opened = await open(installation, path, as);
  if (opened instanceof Terminal) return opened;
  throw new Error(`${path} was refused: ${JSON.stringify(opened)}`);
}

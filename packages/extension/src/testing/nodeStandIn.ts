import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import https from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type WebSocket, WebSocketServer } from 'ws';

/** A real node needs libvirt and a guest; this one has the same API on a real socket and tells what it was asked. */
export interface NodeStandIn {
  readonly socketPath: string;
  /** Where it listens with TLS; 0: it does not. */
  readonly port: number;
  /** `METHOD path body`, in the order in which they came. */
  readonly asked: string[];
  /** Streams that are open, by path; the newest last. */
  readonly open: { path: string; socket: WebSocket }[];
  /** What the next request or stream is answered with instead. */
  refuseNext(status: number, body: unknown): void;
  close(): Promise<void>;
}

const encode = (text: string): string => Buffer.from(text).toString('base64');

const ANSWERS: Readonly<Record<string, unknown>> = {
  guestosinfo: { guestAgentVersion: '8.2', os: { id: 'debian' } },
  userlist: { items: [{ userName: 'root' }] },
  filesystemlist: { items: [] },
  exec: { pid: 42, exited: false },
  status: { pid: 42, exited: true, exitCode: 3, stdout: encode('out\n'), stderr: encode('err\n') },
  read: { offset: 0, content: encode('content\n'), eof: true },
};

/** The certificate that it shows, and who signs those of its clients: PEM. */
export interface StandInTls {
  readonly certPem: string;
  readonly keyPem: string;
  readonly clientCa: string;
}

/** On a unix socket; with certificates on a port of the loopback address instead, for clients that show one. */
export async function startNodeStandIn(tls?: StandInTls): Promise<NodeStandIn> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-node-'));
  const socketPath = join(directory, 'node.sock');
  const asked: string[] = [];
  const open: NodeStandIn['open'] = [];
  let refusal: { status: number; body: unknown } | undefined;
  const takeRefusal = () => {
    const taken = refusal;
    refusal = undefined;
    return taken;
  };

  const server: Server = tls
    ? https.createServer({ cert: tls.certPem, key: tls.keyPem, ca: tls.clientCa, requestCert: true })
    : createServer();
  server.on('request', async (request, response) => {
    const body = Buffer.concat(await request.toArray()).toString();
    asked.push([request.method, request.url, body].filter(Boolean).join(' '));
    const refused = takeRefusal();
    const json = (status: number, value: unknown) =>
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
    const last = (request.url ?? '').split('/').at(-1)?.split('?')[0] ?? '';
    if (refused) json(refused.status, refused.body);
    else if (last === 'screenshot')
      response.writeHead(200, { 'content-type': 'image/png' }).end(Buffer.from('\x89PNG'));
    else if (Object.hasOwn(ANSWERS, last)) json(200, ANSWERS[last]);
    else if (request.method === 'PUT') response.writeHead(200).end();
    else json(200, {});
  });

  const sockets = new WebSocketServer({ noServer: true });
  server.on('upgrade', (request, socket, head) => {
    asked.push(`${request.method} ${request.url} ${request.headers['sec-websocket-protocol']}`);
    const refused = takeRefusal();
    if (refused) {
      const text = JSON.stringify(refused.body);
      socket.end(
        `HTTP/1.1 ${refused.status} No\r\nContent-Type: application/json\r\nContent-Length: ${Buffer.byteLength(text)}\r\n\r\n${text}`,
      );
      return;
    }
    const path = request.url ?? '';
    // As the real one: a new console drops the old one at once.
    for (const old of open.filter((each) => each.path === path && path.endsWith('/console'))) old.socket.close(1000);
    sockets.handleUpgrade(request, socket, head, (opened) => {
      open.push({ path, socket: opened });
      opened.on('message', (data: Buffer) => opened.send(Buffer.from(`guest:${data.toString()}`)));
      opened.send(Buffer.from('login: '));
    });
  });
  await new Promise<void>((resolve) => {
    if (tls) server.listen(0, '127.0.0.1', resolve);
    else server.listen(socketPath, resolve);
  });
  return {
    socketPath,
    port: tls ? (server.address() as AddressInfo).port : 0,
    asked,
    open,
    refuseNext: (status, body) => {
      refusal = { status, body };
    },
    close: async () => {
      for (const { socket } of open) socket.terminate();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(directory, { recursive: true });
    },
  };
}

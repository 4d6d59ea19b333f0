import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Duplex } from 'node:stream';
import { PAGE_HEADERS, type Page } from '@vireo/dashboard';
import { Client, type Clock, httpTransport, type KubeconfigTarget, splitTarget } from '@vireo/kube';
import { type WebSocket, WebSocketServer } from 'ws';
import { uploadServer } from '../vms/upload/upload.ts';
import { serveDownload } from './downloads.ts';
import { carryFigures, figuresOf } from './figures.ts';
import { createForwarder } from './forward.ts';
import { clusterTarget, downloadTarget, judge, OWN_HEADER, type Refusal, streamTarget } from './guard.ts';
import { carryStream } from './guestStream.ts';
import { cookieIn, Sessions } from './sessions.ts';
import { carryUpload } from './uploads.ts';
import { carryWatches } from './watches.ts';

export interface DashboardOptions {
  readonly cluster: KubeconfigTarget;
  /** The namespace that the page begins with where the user may not see all. */
  readonly namespace: string;
  /** 0: any that is free. */
  readonly port: number;
  readonly page: Page;
  readonly clock?: Clock;
}

/** A dashboard on this host, for whoever has opened one of its addresses. */
export interface LocalDashboard {
  readonly port: number;
  /** An address that can be opened once, within a minute. */
  newAddress(): string;
  close(): Promise<void>;
}

const HOST = '127.0.0.1';
const SESSION_PATH = '/dashboard/session';
const WATCHES_PATH = '/dashboard/watches';
const FIGURES_PATH = '/dashboard/figures';
const UPLOADS_PATH = '/dashboard/uploads';
const EXPORTS_PREFIX = '/dashboard/exports/';
const MOST_CODE_BYTES = 1_024;
/** How often connections of sessions that have ended are looked for. */
const SWEEP_MS = 60_000;

/** Serves the page and carries its requests to a cluster, with the credentials of a kubeconfig, which stay in this process. */
export async function startDashboard(options: DashboardOptions): Promise<LocalDashboard> {
  const { cluster, namespace, page, clock } = options;
  const sessions = new Sessions(clock);
  const forwarder = createForwarder(cluster);
  const transport = httpTransport(cluster);
  const figures = figuresOf(cluster, clock);
  const client = new Client(transport);
  const sockets = new WebSocketServer({
    noServer: true,
    maxPayload: 1 << 20,
    perMessageDeflate: false,
    handleProtocols: (offered) => (offered.has('plain.kubevirt.io') ? 'plain.kubevirt.io' : false),
  });
  /** By session, so that they end with it. */
  const connected = new Map<WebSocket, string>();
  const disconnect = (): void => {
    for (const [socket, of] of connected) if (!sessions.isAlive(of)) socket.terminate();
  };
  const sweeping = setInterval(disconnect, SWEEP_MS).unref();
  const server = createServer((request, response) => {
    serve(request, response).catch(() => response.destroy());
  });
  server.on('upgrade', upgrade);
  server.maxConnections = 512;
  server.listen(options.port, HOST);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const authority = `${HOST}:${port}`;
  // Cookies do not tell ports apart, so the name does.
  const cookieName = `vireo-dashboard-${port}`;
  const secretOf = ({ headers }: IncomingMessage): string | undefined => cookieIn(headers.cookie, cookieName);

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = 'GET', url = '/', headers } = request;
    const { path } = splitTarget(url);
    const isOfPage = path === '/' || path === '/dashboard' || path.startsWith('/dashboard/');
    const isDownload = path.startsWith(EXPORTS_PREFIX);
    const isForApi = !isOfPage || isDownload || path === SESSION_PATH;
    const refusal = judge({ method, isUpgrade: false, isForApi, isDownload, headers }, authority);
    if (refusal) return answer(response, refusal.status, refusal.message);
    if (path === SESSION_PATH) return serveSession(method, request, response);
    if (path === '/') return answer(response, 308, 'The dashboard is at /dashboard/.', { location: '/dashboard/' });
    if (isOfPage && !isDownload) {
      const file = page.answer(method, path, headers['accept-encoding']?.toString());
      response.writeHead(file.status, { ...file.headers, 'content-length': file.body.length });
      response.end(method === 'HEAD' ? undefined : file.body);
      return;
    }
    if (!sessions.isOpen(secretOf(request))) return answer(response, 401, NO_SESSION, { [OWN_HEADER]: 'closed' });
    if (isDownload) return serveDownload(downloadTarget(path), request, response, { client, forwarder });
    const target = clusterTarget(url);
    if (target === undefined) return answer(response, 404, 'This path is not part of the API that the dashboard uses.');
    await forwarder.forward(target, request, response);
  }

  async function serveSession(method: string, request: IncomingMessage, response: ServerResponse): Promise<void> {
    const secret = secretOf(request);
    if (method === 'GET') {
      const own = { isOpen: true, server: cluster.server, namespace };
      return json(response, { mode: 'local', ...(sessions.isOpen(secret) ? own : { isOpen: false }) });
    }
    if (method === 'POST') {
      const made = sessions.exchange(await readCode(request));
      if (made === undefined) return answer(response, 403, CODE_USELESS);
      return answer(response, 204, '', { 'set-cookie': cookie(cookieName, made) });
    }
    if (method !== 'DELETE') return answer(response, 405, 'Use GET, POST or DELETE.', { allow: 'GET, POST, DELETE' });
    if (secret !== undefined) sessions.end(secret);
    disconnect();
    answer(response, 204, '', { 'set-cookie': `${cookie(cookieName, '')}; Max-Age=0` });
  }

  /** Why a WebSocket is not opened; undefined if it is. */
  function upgradeRefusal(request: IncomingMessage): Refusal | undefined {
    const { method = 'GET', url = '/', headers } = request;
    const refusal = judge({ method, isUpgrade: true, isForApi: true, headers }, authority);
    if (refusal) return refusal;
    if (!sessions.isOpen(secretOf(request))) return { status: 401, message: NO_SESSION };
    const isKnown =
      [WATCHES_PATH, FIGURES_PATH, UPLOADS_PATH].includes(splitTarget(url).path) || streamTarget(url) !== undefined;
    return isKnown ? undefined : { status: 404, message: 'There is no such stream.' };
  }

  function upgrade(request: IncomingMessage, socket: Duplex, head: Buffer): void {
    socket.on('error', () => socket.destroy());
    const refusal = upgradeRefusal(request);
    if (refusal) {
      refuse(socket, refusal);
      return;
    }
    const stream = streamTarget(request.url ?? '/');
    sockets.handleUpgrade(request, socket, head, (opened) => {
      connected.set(opened, secretOf(request) ?? '');
      opened.once('close', () => connected.delete(opened));
      if (splitTarget(request.url ?? '/').path === UPLOADS_PATH)
        carryUpload(opened, () => uploadServer({ client, target: cluster, namespace }, {}));
      else if (splitTarget(request.url ?? '/').path === FIGURES_PATH) carryFigures(opened, figures);
      else if (stream === undefined) carryWatches(opened, transport, cluster.credentials);
      else void carryStream(opened, cluster, stream);
    });
  }

  return {
    port,
    newAddress: () => `http://${authority}/dashboard/#code=${sessions.newCode()}`,
    async close() {
      clearInterval(sweeping);
      for (const socket of connected.keys()) socket.terminate();
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      figures.close();
      forwarder.close();
      await Promise.all([closed, transport.close()]);
    },
  };
}

const NO_SESSION = 'There is no session. Open the address that `vireo dashboard` prints.';
const CODE_USELESS = 'This address has been used already, or it is older than a minute.';

const cookie = (name: string, value: string): string => `${name}=${value}; Path=/; HttpOnly; SameSite=Strict`;

/** Whatever was sent, as far as it can be a code; one that is too long is none. */
async function readCode(request: IncomingMessage): Promise<string> {
  let text = '';
  for await (const chunk of request) {
    text += chunk;
    if (text.length > MOST_CODE_BYTES) return '';
  }
  try {
    const { code } = JSON.parse(text) as { code?: unknown };
    return typeof code === 'string' ? code : '';
  } catch {
    return '';
  }
}

const json = (response: ServerResponse, value: object): void => {
  const headers = { ...PAGE_HEADERS, 'content-type': 'application/json', 'cache-control': 'no-store' };
  response.writeHead(200, headers).end(`${JSON.stringify(value)}\n`);
};

function answer(response: ServerResponse, status: number, text: string, headers: Record<string, string> = {}): void {
  const type = { ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store' };
  response.writeHead(status, { ...type, ...headers });
  response.end(status === 204 ? undefined : `${text}\n`);
}

function refuse(socket: Duplex, { status, message }: Refusal): void {
  const lines = [`HTTP/1.1 ${status} Refused`, 'Connection: close', 'Content-Type: text/plain; charset=utf-8'];
  socket.end(`${lines.join('\r\n')}\r\n\r\n${message}\n`);
}

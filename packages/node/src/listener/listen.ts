import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ApiError, badRequest, type Pod } from '@vireo/api';
import { type IssuedCertificate, type Log, type NodeApi, refuseUpgrade, statusOf, TEXT_FORMAT } from '@vireo/kube';
import { type CallerRequest, type CallerReviews, pathOf, requireCaller } from './callers.ts';

/** What a node answers with once it is registered. */
export interface NodeEndpoint {
  /** The node's name. */
  readonly name: string;
  readonly api: NodeApi;
  readonly reviews: CallerReviews;
  /** All pods of the node. */
  readonly pods: () => readonly Pod[];
  /** What Prometheus reads. */
  readonly metrics: () => Promise<string>;
  /** Why the node is not well; undefined while it is. */
  readonly problem: () => string | undefined;
}

/** A port of a node, over TLS. */
export interface NodeListener {
  readonly port: number;
  /** Shows that certificate to new connections, and believes certificates of that authority. */
  trust(certificate: Pick<IssuedCertificate, 'certPem' | 'keyPem'>, clientCa: string | undefined): void;
  /** Answers from now on. */
  serve(endpoint: NodeEndpoint): void;
  close(): Promise<void>;
}

/** What a kubelet does in containers, and the node has none. */
const CONTAINER_PATHS = ['exec', 'attach', 'portForward', 'run', 'checkpoint'];
const PROBE_MS = 30_000;
const HEALTH_PATHS = ['/healthz', '/livez', '/readyz'];

/**
 * Listens where the cluster and the extension reach a node. Until it serves, and without a certificate, nobody gets an
 * answer; from then on only whom the cluster knows and lets, apart from whether the node is well.
 */
export async function listenAsNode({
  host,
  port,
  log,
}: {
  readonly host: string;
  readonly port: number;
  readonly log: Log;
}): Promise<NodeListener> {
  let endpoint: NodeEndpoint | undefined;
  const server = createServer({
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    // Node would cut off whatever takes more than five minutes to send: images do.
    requestTimeout: 0,
    // An upload whose sender's host has died would keep its claim from the next one.
    keepAlive: true,
    keepAliveInitialDelay: PROBE_MS,
  });
  const connections = trackConnections(server);
  const report = (error: unknown, request: IncomingMessage): void => {
    if (error instanceof ApiError) return;
    log.error('a request to the node failed', undefined, { method: request.method, path: request.url, error });
  };
  server.on('request', (request, response) => {
    answer(endpoint, request, response).catch((error: unknown) => {
      report(error, request);
      sendStatus(response, error);
    });
  });
  server.on('upgrade', (request, socket, head) => {
    socket.on('error', () => socket.destroy());
    admitUpgrade(endpoint, request).then(
      (admitted) => admitted.api.upgrade(request, socket, head),
      (error: unknown) => {
        report(error, request);
        refuseUpgrade(socket, error);
      },
    );
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    // Without an authority none is trusted: the system's would be, if it were left out.
    trust: ({ certPem, keyPem }, clientCa) =>
      server.setSecureContext({ cert: certPem, key: keyPem, ca: clientCa ?? [] }),
    serve: (ready) => {
      endpoint = ready;
    },
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

async function answer(
  endpoint: NodeEndpoint | undefined,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const path = pathOf(request);
  const isGet = request.method === 'GET' || request.method === 'HEAD';
  if (isGet && HEALTH_PATHS.includes(path)) {
    const isWell = endpoint !== undefined && (path === '/livez' || endpoint.problem() === undefined);
    // Why not is told to those that the cluster knows, by the Node's conditions.
    sendText(response, isWell ? 'ok' : 'not ready', isWell ? 200 : 500);
    return;
  }
  const { name, api, reviews, pods, metrics } = starting(endpoint);
  await requireCaller(callerOf(request), name, reviews, { isUpgrade: false, nowMs: Date.now() });
  if (isGet && path === '/metrics') sendText(response, await metrics(), 200, TEXT_FORMAT);
  else if (isGet && (path === '/pods' || path === '/pods/')) sendPods(response, pods());
  else if (CONTAINER_PATHS.includes(path.split('/', 2)[1] ?? '')) throw containerError(path);
  else api.handle(request, response);
}

async function admitUpgrade(endpoint: NodeEndpoint | undefined, request: IncomingMessage): Promise<NodeEndpoint> {
  const ready = starting(endpoint);
  await requireCaller(callerOf(request), ready.name, ready.reviews, { isUpgrade: true, nowMs: Date.now() });
  const path = pathOf(request);
  if (CONTAINER_PATHS.includes(path.split('/', 2)[1] ?? '')) throw containerError(path);
  return ready;
}

function starting(endpoint: NodeEndpoint | undefined): NodeEndpoint {
  if (!endpoint) throw new ApiError('ServiceUnavailable', 'the node is starting');
  return endpoint;
}

/** Every connection of this server is TLS. */
const callerOf = (request: IncomingMessage): CallerRequest => request as IncomingMessage & { socket: TLSSocket };

const containerError = (path: string): ApiError =>
  badRequest(
    `${path.split('/', 2)[1]} needs a container, and this node has none: it runs virtual machines. ` +
      'Use `vireo console`, `vireo exec`, `vireo port-forward` or virtctl on the VM instead',
  );

function sendPods(response: ServerResponse, items: readonly Pod[]): void {
  const list = { kind: 'PodList', apiVersion: 'v1', metadata: {}, items };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(list));
}

function sendText(response: ServerResponse, text: string, status: number, type = 'text/plain; charset=utf-8'): void {
  response.writeHead(status, { 'content-type': type }).end(text);
}

function sendStatus(response: ServerResponse, error: unknown): void {
  const status = statusOf(error);
  if (response.headersSent) response.destroy();
  else response.writeHead(status.code, { 'content-type': 'application/json' }).end(JSON.stringify(status));
}

function trackConnections(server: Server): Set<Socket> {
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  return connections;
}

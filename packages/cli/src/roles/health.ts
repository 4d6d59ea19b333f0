import { generateKeyPairSync } from 'node:crypto';
import { once } from 'node:events';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https from 'node:https';
import { type AddressInfo, BlockList, isIPv6, type Socket } from 'node:net';
import { hostname } from 'node:os';
import {
  type Client,
  consoleLog,
  exposition,
  Http1Exchange,
  type Metrics,
  respond,
  respondError,
  splitTarget,
  TEXT_FORMAT,
  textResponse,
} from '@vireo/kube';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { OpenStreams } from '@vireo/kube/serving/streams.ts';
import type { BindAddress } from '../options.ts';
import { metricsReaders } from './metricsReader.ts';

/** Why something is not well; undefined while it is. */
export type HealthCheck = () => string | undefined;

export interface RoleHealth {
  readonly address: BindAddress;
  /** Asked who may read metrics; acts as the role. */
  readonly client: Client;
  /** Metrics by the names of their components, such as `virt-controller`. */
  readonly components: ReadonlyMap<string, Metrics>;
  /** Whether it can go on at all; one that cannot should be restarted. */
  readonly live?: Readonly<Record<string, HealthCheck>>;
  /** Whether it does its work now, beyond being alive. */
  readonly ready?: Readonly<Record<string, HealthCheck>>;
}

export interface ServedHealth {
  readonly port: number;
  close(): Promise<void>;
}

const CERTIFICATE_DAYS = 365;
const DAY_MS = 86_400_000;

/**
 * Serves what supervisors and Prometheus ask a role: `/healthz`, `/livez` and `/readyz` for anybody, `/metrics` for users
 * that may `get` that path. Over TLS, by a certificate that it signs itself as kube-controller-manager does, unless only
 * this host can connect.
 */
export async function serveHealth(health: RoleHealth): Promise<ServedHealth> {
  const { host, port } = health.address;
  const streams = new OpenStreams();
  const readers = metricsReaders(health.client);
  const answer: RequestListener = (incoming: IncomingMessage, response: ServerResponse) => {
    const exchange = new Http1Exchange(incoming, response);
    const requireReader = () => readers(incoming.headers.authorization);
    answerTo(health, exchange.method, exchange.target, requireReader).then(
      (found) => respond(exchange, found, streams),
      (error: unknown) =>
        respondError(exchange, error, (cause) =>
          consoleLog.error('cannot answer a request', undefined, { target: exchange.target, error: cause }),
        ),
    );
  };
  const server = isLoopback(host) ? http.createServer(answer) : https.createServer(selfSigned(host), answer);
  const connections = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    connections.add(socket);
    socket.once('close', () => connections.delete(socket));
  });
  server.listen(port, host);
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      for (const socket of connections) socket.destroy();
      await closed;
    },
  };
}

async function answerTo(health: RoleHealth, method: string, target: string, requireReader: () => Promise<void>) {
  if (method !== 'GET' && method !== 'HEAD') return textResponse('only GET is allowed\n', 405);
  const { path, query } = splitTarget(target);
  const { live = {}, ready = {} } = health;
  if (path === '/healthz' || path === '/livez') return healthText(live, query.has('verbose'));
  if (path === '/readyz') return healthText({ ...live, ...ready }, query.has('verbose'));
  if (path !== '/metrics') return textResponse('not found\n', 404);
  await requireReader();
  const text = await exposition(health.components, (metric, error) =>
    consoleLog.warn('cannot read a metric', undefined, { metric, error }),
  );
  return textResponse(text, 200, TEXT_FORMAT);
}

function healthText(checks: Readonly<Record<string, HealthCheck>>, isVerbose: boolean) {
  const results = Object.entries(checks).map(([name, check]) => ({ name, problem: check() }));
  const hasFailed = results.some(({ problem }) => problem !== undefined);
  if (!hasFailed && !isVerbose) return textResponse('ok');
  const lines = results.map(({ name, problem }) =>
    problem === undefined ? `[+]${name} ok` : `[-]${name} failed: ${problem}`,
  );
  return textResponse(`${lines.join('\n')}\ncheck ${hasFailed ? 'failed' : 'passed'}\n`, hasFailed ? 500 : 200);
}

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this host can connect to an address. */
export const isLoopback = (host: string): boolean => loopback.check(host, isIPv6(host) ? 'ipv6' : 'ipv4');

function selfSigned(host: string): { cert: string; key: string } {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const now = Date.now();
  const cert = issueCertificate(
    {
      commonName: hostname(),
      notBefore: new Date(now - DAY_MS),
      notAfter: new Date(now + CERTIFICATE_DAYS * DAY_MS),
      use: 'server',
      subjectAltNames: { dnsNames: [hostname()], ipAddresses: [host] },
    },
    privateKey,
  );
  return { cert, key: privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() };
}

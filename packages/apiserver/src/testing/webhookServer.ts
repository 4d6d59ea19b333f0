import { generateKeyPairSync } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';

/** A call that a webhook has got. */
export interface WebhookCall<Body> {
  readonly path: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  /** What the client asked for in the TLS handshake. */
  readonly serverName: string | false;
  readonly body: Body;
  readonly response: ServerResponse;
}

/** What a webhook does with a call: the JSON to answer, or undefined if it has answered by itself, or will not. */
export type WebhookHandler<Body> = (call: WebhookCall<Body>) => unknown;

/** A webhook of a test, over real TLS on a port of its own. */
export interface TestWebhookServer {
  readonly port: number;
  /** `https://127.0.0.1:PORT`. */
  readonly url: string;
  /** Base64 of the PEM of its authority. */
  readonly caBundle: string;
  /** How many connections it has had. */
  readonly connections: () => number;
  close(): Promise<void>;
}

const DAY_MS = 86_400_000;

/** Starts a webhook whose certificate is for 127.0.0.1 and these names. */
export async function startWebhookServer<Body>(
  handle: WebhookHandler<Body>,
  dnsNames: readonly string[] = ['localhost'],
): Promise<TestWebhookServer> {
  const validity = { notBefore: new Date(Date.now() - DAY_MS), notAfter: new Date(Date.now() + DAY_MS) };
  const [caKey, key] = [newKey(), newKey()];
  const ca = issueCertificate({ commonName: 'webhooks', use: 'ca', ...validity }, caKey);
  const subjectAltNames = { dnsNames: [...dnsNames], ipAddresses: ['127.0.0.1'] };
  const issuer = { certPem: ca, key: caKey };
  const cert = issueCertificate({ commonName: 'webhook', use: 'server', subjectAltNames, ...validity }, key, issuer);
  const sockets = new Set<Duplex>();
  let connections = 0;
  const server = https.createServer(
    { cert, key: key.export({ type: 'pkcs8', format: 'pem' }).toString(), keepAliveTimeout: 60_000 },
    (request, response) => void answer(handle, request, response),
  );
  server.on('secureConnection', () => connections++);
  server.on('connection', (socket) => sockets.add(socket.once('close', () => sockets.delete(socket))));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    url: `https://127.0.0.1:${port}`,
    caBundle: Buffer.from(ca).toString('base64'),
    connections: () => connections,
    close: () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

const newKey = () => generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;

async function answer<Body>(
  handle: WebhookHandler<Body>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const { pathname: path, searchParams: query } = new URL(request.url ?? '/', 'https://webhook');
  const { servername: serverName = false } = request.socket as Socket & { servername?: string | false };
  const body = JSON.parse(Buffer.concat(chunks).toString()) as Body;
  const answered = await handle({ path, query, headers: request.headers, serverName, body, response });
  if (answered === undefined) return;
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(answered));
}

/** What admission webhooks of tests are asked. */
export interface AdmissionReviewBody {
  readonly apiVersion: string;
  readonly kind: string;
  readonly request: {
    readonly uid: string;
    readonly name?: string;
    readonly operation: string;
    readonly object: Record<string, unknown> | null;
    readonly oldObject: Record<string, unknown> | null;
  } & Readonly<Record<string, unknown>>;
}

/** The answer to a review: allowed, unless it says otherwise. */
export const reviewed = ({ apiVersion, kind, request }: AdmissionReviewBody, response: object = {}) => ({
  apiVersion,
  kind,
  response: { uid: request.uid, allowed: true, ...response },
});

/** The part of a response that has a patch. */
export const patchedBy = (...operations: object[]) => ({
  patchType: 'JSONPatch',
  patch: Buffer.from(JSON.stringify(operations)).toString('base64'),
});

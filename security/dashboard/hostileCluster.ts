import { generateKeyPairSync } from 'node:crypto';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { issueCertificate } from '@vireo/kube/serving/certificate.ts';
import { type WebSocket, WebSocketServer } from 'ws';
import type { Ground } from '../ground.ts';
import type { Wire } from '../wire.ts';
import { payloads, poisonedAnswer, poisonedEvents } from './payloads.ts';

/** A cluster that answers as Vireo does, but with an attack in every text. */
export interface HostileCluster {
  readonly server: string;
  readonly certificateAuthority: string;
  /** Methods and paths of what it was asked. */
  readonly asked: string[];
  close(): void;
}

/** The answers come from the ground, with the administrator's rights; nothing is written there but reviews. */
export async function startHostileCluster(ground: Ground): Promise<HostileCluster> {
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const validity = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
  const certPem = issueCertificate({ commonName: 'hostile', use: 'ca', ...validity }, key);
  const serverKey = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const subjectAltNames = { dnsNames: ['localhost'], ipAddresses: ['127.0.0.1'] };
  const cert = issueCertificate({ commonName: 'hostile', use: 'server', subjectAltNames, ...validity }, serverKey, {
    certPem,
    key,
  });
  const wire = ground.wire(ground.admin);
  const asked: string[] = [];
  /** Paths whose watches have failed once. */
  const troubled = new Set<string>();
  const server = createSecureServer(
    { allowHTTP1: true, cert, key: serverKey.export({ type: 'pkcs8', format: 'pem' }) },
    (request, response) => {
      asked.push(`${request.method} ${request.url}`);
      answer(wire, request, response, troubled).catch(() => response.destroy());
    },
  );
  const consoles = new WebSocketServer({ noServer: true, handleProtocols: () => 'plain.kubevirt.io' });
  server.on('upgrade', (request, socket, head) => {
    asked.push(`UPGRADE ${request.url}`);
    consoles.handleUpgrade(request, socket, head, (guest) => {
      guest.on('error', () => guest.terminate());
      if (request.url?.split('?')[0]?.endsWith('/vnc')) refuseScreen(guest);
      else typeAttacks(guest);
      setTimeout(() => guest.close(4403, (payloads('reason')[1] ?? '').slice(0, 120)), 1_500).unref();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    server: `https://127.0.0.1:${port}`,
    certificateAuthority: certPem,
    asked,
    close: () => {
      for (const client of consoles.clients) client.terminate();
      server.close();
    },
  };
}

/** On a serial console: as text, and as the title of the terminal. */
function typeAttacks(guest: WebSocket): void {
  for (const text of payloads('console'))
    guest.send(Buffer.from(`\u001B]0;${text}\u0007\u001B]2;${text}\u0007${text}\r\n`));
}

/** The screen is refused, as RFB 3.8 has it, with a reason. */
function refuseScreen(guest: WebSocket): void {
  const reason = Buffer.from(payloads('screen')[1] ?? '');
  const length = Buffer.alloc(4);
  length.writeUInt32BE(reason.length);
  guest.send(Buffer.from('RFB 003.008\n'));
  guest.once('message', () => guest.send(Buffer.concat([Buffer.from([0]), length, reason])));
}

/** Tells changes at once, and then, the first time, that the watch has failed; another one goes on for ever. */
async function answerWatch(wire: Wire, url: string, response: Http2ServerResponse, troubled: Set<string>) {
  const { pathname, searchParams } = new URL(url, 'https://x');
  const kept = [...searchParams].filter(([name]) => name.endsWith('Selector'));
  const path = `${pathname}?${new URLSearchParams(kept)}`;
  const { status, body } = await wire.send({ method: 'GET', path, headers: { accept: 'application/json' } });
  response.writeHead(200, { 'content-type': 'application/json' });
  response.write('\n');
  const events = status === 200 ? poisonedEvents(JSON.parse(body)) : [];
  for (const event of events) response.write(`${JSON.stringify(event)}\n`);
  if (troubled.has(path)) return;
  troubled.add(path);
  const message = payloads('watch.error')[1];
  response.end(`${JSON.stringify({ type: 'ERROR', object: { kind: 'Status', code: 500, message, metadata: {} } })}\n`);
}

async function answer(
  wire: Wire,
  request: Http2ServerRequest,
  response: Http2ServerResponse,
  troubled: Set<string>,
): Promise<void> {
  const { method, url } = request;
  if (new URL(url, 'https://x').searchParams.get('watch') === '1') return answerWatch(wire, url, response, troubled);
  const isReview = /reviews$/.test(url.split('?')[0] ?? '');
  if (method !== 'GET' && !isReview) {
    response.writeHead(403, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ kind: 'Status', status: 'Failure', code: 403, message: payloads('refusal')[1] }));
    return;
  }
  const body = Buffer.concat(await request.toArray());
  const headers = { accept: 'application/json', 'content-type': 'application/json' };
  const real = await wire.send({ method, path: url, headers, ...(body.length > 0 && { body }) });
  response.writeHead(real.status, { 'content-type': String(real.headers['content-type'] ?? 'text/plain') });
  response.end(isReview ? real.body : poison(real.body));
}

function poison(body: string): string {
  try {
    return JSON.stringify(poisonedAnswer(JSON.parse(body)));
  } catch {
    return body;
  }
}

import { once } from 'node:events';
import {
  createSecureServer,
  type Http2SecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Session,
  type ServerHttp2Stream,
} from 'node:http2';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { ApiError } from '@vireo/api';
import type { ApiCall } from '../transport.ts';
import type { FakeKubernetes } from './fakeKubernetes.ts';
import { type TestPki, testPki } from './pki.ts';

/** The fake Kubernetes behind a real socket: HTTP/2 over TLS, with client certificates. */
export class FakeServer {
  readonly pki: TestPki;
  readonly sessions = new Set<ServerHttp2Session>();
  /** Headers of the requests, with `peer`: the name in the client's certificate. */
  readonly requests: (IncomingHttpHeaders & { peer?: string })[] = [];
  /** Called first; true: the stream is taken care of. */
  interrupt: (stream: ServerHttp2Stream, headers: IncomingHttpHeaders) => boolean = () => false;
  readonly #server: Http2SecureServer;
  readonly #kubernetes: FakeKubernetes;

  private constructor(kubernetes: FakeKubernetes, pki: TestPki) {
    this.#kubernetes = kubernetes;
    this.pki = pki;
    const { certificate, key } = pki.server;
    this.#server = createSecureServer({
      cert: certificate,
      key,
      ca: pki.ca,
      requestCert: true,
      rejectUnauthorized: false,
    });
    this.#server.on('session', (session) => {
      this.sessions.add(session);
      session.on('error', () => {});
      session.once('close', () => this.sessions.delete(session));
    });
    this.#server.on('stream', (stream, headers) => void this.#serve(stream, headers));
  }

  static async start(kubernetes: FakeKubernetes): Promise<FakeServer> {
    const server = new FakeServer(kubernetes, testPki());
    await server.listen(0);
    return server;
  }

  listen(port: number): Promise<void> {
    return new Promise((resolve) => this.#server.listen(port, '127.0.0.1', resolve));
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port;
  }

  get url(): string {
    return `https://127.0.0.1:${this.port}`;
  }

  /** Cuts every connection, as a dying host or network does. */
  cut(): void {
    for (const session of this.sessions) session.socket.destroy();
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.#server.close(resolve));
    for (const session of this.sessions) session.destroy();
    await closed;
  }

  async #serve(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<void> {
    stream.on('error', () => {});
    const peer = (stream.session?.socket as TLSSocket | undefined)?.getPeerCertificate()?.subject?.CN;
    this.requests.push({ ...headers, peer: Array.isArray(peer) ? peer[0] : peer });
    if (this.interrupt(stream, headers)) return;
    const call = await readCall(stream, headers);
    if (!stream.destroyed) answer(this.#kubernetes, stream, call);
  }
}

async function readCall(stream: ServerHttp2Stream, headers: IncomingHttpHeaders): Promise<ApiCall> {
  const url = new URL(String(headers[':path']), 'https://server');
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  const text = Buffer.concat(chunks).toString('utf8');
  const gone = new AbortController();
  stream.once('close', () => gone.abort());
  return {
    method: headers[':method'] as ApiCall['method'],
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    body: text === '' ? undefined : JSON.parse(text),
    contentType: headers['content-type'],
    signal: gone.signal,
  };
}

function answer(kubernetes: FakeKubernetes, stream: ServerHttp2Stream, call: ApiCall): void {
  if (call.query?.watch === 'true') {
    void answerWatch(kubernetes, stream, call);
    return;
  }
  const { status, body } = kubernetes.handle(call);
  stream.respond({ ':status': status, 'content-type': 'application/json' });
  stream.end(JSON.stringify(body));
}

async function answerWatch(kubernetes: FakeKubernetes, stream: ServerHttp2Stream, call: ApiCall): Promise<void> {
  try {
    const events = kubernetes.watch(call);
    const gone = once(stream, 'close');
    stream.respond({ ':status': 200, 'content-type': 'application/json' });
    for await (const event of events) {
      if (!stream.write(`${JSON.stringify(event)}\n`)) await Promise.race([once(stream, 'drain'), gone]);
    }
    stream.end();
  } catch (error) {
    if (!(error instanceof ApiError)) {
      stream.session?.socket.destroy();
      return;
    }
    stream.respond({ ':status': error.code, 'content-type': 'application/json' });
    stream.end(JSON.stringify(error.status));
  }
}

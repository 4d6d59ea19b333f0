import type { IncomingMessage, ServerResponse } from 'node:http';
import http2, { type IncomingHttpHeaders, type ServerHttp2Stream } from 'node:http2';
import type { Duplex } from 'node:stream';
import type { TLSSocket } from 'node:tls';
import { type Exchange, Http1Exchange, Http2Exchange } from '@vireo/kube';
import type { Connections } from './connections.ts';

export interface HttpServerOptions {
  readonly cert: string;
  readonly key: string;
  /** CAs whose client certificates are looked at; who they are is decided later. */
  readonly clientCa: readonly string[];
  /** Told of every connection; it may cut some off where there are too many. */
  readonly connections: Connections<TLSSocket>;
  readonly onExchange: (exchange: Exchange) => void;
  /** Called when the server stops listening: what would go on for ever is to end now. */
  readonly onClosing: () => void;
  /** WebSocket and SPDY upgrades; they come over HTTP/1.1 only. */
  readonly onUpgrade: (request: IncomingMessage, socket: Duplex, head: Buffer) => void;
}

export interface HttpServer {
  listen(port: number, host: string): Promise<number>;
  /** Stops listening, lets open requests end for a moment, then cuts what is left. */
  close(): Promise<void>;
}

/** Authenticated encryption with forward secrecy: all of TLS 1.3, and of TLS 1.2 what goes with our keys, ECDSA. */
const CIPHERS = [
  'TLS_AES_128_GCM_SHA256',
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'ECDHE-ECDSA-AES128-GCM-SHA256',
  'ECDHE-ECDSA-AES256-GCM-SHA384',
  'ECDHE-ECDSA-CHACHA20-POLY1305',
];
const HEADER_TIMEOUT_MS = 15_000;
/** How often HTTP/1.1 connections are looked at that have not sent all their headers. */
const HEADER_CHECK_MS = 5_000;
/** Of those who have not even begun TLS, which takes 15 s at most, there may be as many again. */
const CONNECTIONS_BEFORE_TLS = 4096;
const PING_MS = 30_000;
const GRACE_MS = 2_000;

/** HTTP/2 and HTTP/1.1 over TLS on one port. */
export function createHttpServer(options: HttpServerOptions): HttpServer {
  const server = http2.createSecureServer({
    allowHTTP1: true,
    cert: options.cert,
    key: options.key,
    ca: [...options.clientCa],
    requestCert: true,
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ciphers: CIPHERS.join(':'),
    maxSessionMemory: 200,
    settings: { maxConcurrentStreams: 1000, initialWindowSize: 1 << 20 },
    handshakeTimeout: HEADER_TIMEOUT_MS,
    // HTTP/1.1 clients that send their headers too slowly are cut off.
    headersTimeout: HEADER_TIMEOUT_MS,
    connectionsCheckingInterval: HEADER_CHECK_MS,
    // Node would cut off whatever takes more than five minutes to send: disks do.
    requestTimeout: 0,
  } as http2.SecureServerOptions);
  const { connections } = options;
  server.maxConnections = connections.most + CONNECTIONS_BEFORE_TLS;
  const sessions = new Set<http2.ServerHttp2Session>();

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    options.onExchange(new Http1Exchange(request, response));
  });
  // The compatibility layer that 'request' brings for HTTP/2 costs a third of a GET; streams are served directly.
  server.removeAllListeners('stream');
  server.on('stream', (stream: ServerHttp2Stream, headers: IncomingHttpHeaders, _flags: number, rawHeaders: string[]) =>
    options.onExchange(new Http2Exchange(stream, headers, rawHeaders)),
  );
  server.on('upgrade', options.onUpgrade);
  server.on('secureConnection', (socket: TLSSocket) => {
    connections.add(socket);
    socket.setKeepAlive(true, PING_MS);
    socket.on('close', () => connections.remove(socket));
    socket.on('error', () => socket.destroy());
  });
  server.on('session', (session) => {
    const timer = setInterval(() => {
      if (!session.destroyed) session.ping((error) => error && session.destroy());
    }, PING_MS).unref();
    sessions.add(session);
    session.on('close', () => {
      clearInterval(timer);
      sessions.delete(session);
    });
    session.on('error', () => session.destroy());
  });
  server.on('sessionError', () => {});
  server.on('tlsClientError', (_error, socket) => socket.destroy());
  server.on('clientError', (error: NodeJS.ErrnoException, socket: Duplex) => {
    const status = error.code === 'HPE_HEADER_OVERFLOW' ? '431 Request Header Fields Too Large' : '400 Bad Request';
    if (socket.writable) socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
    else socket.destroy();
  });
  server.setTimeout(0);

  return {
    listen: (port, host) =>
      new Promise((resolve, reject) => {
        server.once('error', reject);
        server.listen(port, host, () => {
          server.removeListener('error', reject);
          const address = server.address();
          resolve(typeof address === 'object' && address ? address.port : port);
        });
      }),
    close: () =>
      new Promise((resolve) => {
        const cut = setTimeout(() => connections.destroyAll(), GRACE_MS);
        server.close(() => {
          clearTimeout(cut);
          resolve();
        });
        options.onClosing();
        for (const session of sessions) session.close();
      }),
  };
}

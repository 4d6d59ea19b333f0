import { createServer, type IncomingMessage, type RequestListener, type Server, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestImage } from './image.ts';

/** What goes wrong, asked for every request; true when it was answered. */
export type Fault = (request: IncomingMessage, response: ServerResponse) => boolean;

export interface FakeRegistryOptions {
  /** What a client must show: a token that is bought with these, or these themselves. */
  readonly auth?: { readonly kind: 'token' | 'basic'; readonly username?: string; readonly password?: string };
  readonly fault?: Fault;
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Whether it answers ranges. */
  readonly ranges?: boolean;
}

/** A registry that misbehaves as told: what a real one cannot be made to do. */
export interface FakeRegistry {
  readonly host: string;
  readonly requests: string[];
  put(repository: string, tag: string, image: TestImage): void;
  close(): Promise<void>;
}

const TOKEN = 'a-token-for-this-repository';

export async function startFakeRegistry(options: FakeRegistryOptions = {}): Promise<FakeRegistry> {
  const { auth, fault, tls, ranges = true } = options;
  const requests: string[] = [];
  const blobs = new Map<string, Buffer>();
  const tags = new Map<string, TestImage>();
  const basic = `Basic ${Buffer.from(`${auth?.username}:${auth?.password}`).toString('base64')}`;

  const isAllowed = ({ headers: { authorization } }: IncomingMessage): boolean =>
    auth === undefined || authorization === (auth.kind === 'token' ? `Bearer ${TOKEN}` : basic);

  const serve: RequestListener = (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://registry');
    requests.push(`${request.method} ${pathname}${request.headers.range ? ` ${request.headers.range}` : ''}`);
    const refuse = (status: number, code: string): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(JSON.stringify({ errors: [{ code, message: code.toLowerCase().replaceAll('_', ' ') }] }));
    };
    if (pathname === '/token') {
      const isGood = auth?.username === undefined || request.headers.authorization === basic;
      if (!isGood) return refuse(401, 'UNAUTHORIZED');
      if (!searchParams.get('scope')?.endsWith(':pull')) return refuse(400, 'UNSUPPORTED');
      return void response.end(JSON.stringify({ token: TOKEN }));
    }
    if (fault?.(request, response)) return;
    if (!isAllowed(request)) {
      const base = `${tls ? 'https' : 'http'}://${request.headers.host}`;
      const challenge = auth?.kind === 'basic' ? 'Basic realm="here"' : `Bearer realm="${base}/token",service="test"`;
      response.setHeader('www-authenticate', challenge);
      return refuse(401, 'UNAUTHORIZED');
    }
    const [, repository = '', kind, version = ''] = /^\/v2\/(.+)\/(manifests|blobs)\/([^/]+)$/.exec(pathname) ?? [];
    const image = tags.get(`${repository}:${version}`);
    const bytes = blobs.get(image?.root ?? version);
    if (!bytes) return refuse(404, kind === 'blobs' ? 'BLOB_UNKNOWN' : 'MANIFEST_UNKNOWN');
    const start = ranges ? Number(/^bytes=(\d+)-$/.exec(request.headers.range ?? '')?.[1] ?? 0) : 0;
    if (start > 0) response.setHeader('content-range', `bytes ${start}-${bytes.length - 1}/${bytes.length}`);
    if (image) response.setHeader('content-type', image.mediaType);
    response.writeHead(start > 0 ? 206 : 200);
    response.end(bytes.subarray(start));
  };

  const server: Server = tls ? createTlsServer(tls, serve) : createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    host: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    put(repository, tag, image) {
      tags.set(`${repository}:${tag}`, image);
      for (const [digest, bytes] of image.blobs) blobs.set(digest, bytes);
    },
    close: () =>
      new Promise((resolve) => {
        server.closeAllConnections();
        server.close(() => resolve());
      }),
  };
}

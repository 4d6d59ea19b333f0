import { type IncomingHttpHeaders, Agent as PlainAgent, request as plainRequest } from 'node:http';
import { Agent as TlsAgent, request as tlsRequest } from 'node:https';
import type { Readable } from 'node:stream';
import { getCACertificates } from 'node:tls';
import { OciError } from '../errors.ts';
import { ownBoundary } from '../offLimits.ts';

/** How a server is trusted. */
export interface Trust {
  /** Certificates of authorities in PEM form, besides those that Node brings. */
  readonly ca?: string;
  /** Whether any certificate is taken. */
  readonly isInsecure?: boolean;
}

export interface HttpRequest {
  readonly method?: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
  readonly trust?: Trust;
  readonly signal?: AbortSignal;
}

export interface HttpResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Readable;
  /** Where it came from in the end. */
  readonly url: URL;
}

/** A server that is silent for so long is taken for lost. */
const SILENCE_MS = 60_000;
const MAX_REDIRECTS = 5;

/** One request, redirects followed. Credentials do not go with a redirect to another server. */
export async function send(url: URL, request: HttpRequest = {}): Promise<HttpResponse> {
  let target = url;
  let headers = request.headers ?? {};
  for (let redirects = 0; ; redirects++) {
    const response = await once(target, { ...request, headers });
    const location = response.headers.location;
    if (![301, 302, 303, 307, 308].includes(response.status) || location === undefined) return response;
    response.body.resume();
    if (redirects === MAX_REDIRECTS) throw new OciError('BadResponse', `${url.host} redirects too many times`);
    const next = URL.canParse(location, target.href) ? new URL(location, target) : undefined;
    if (!next || !isWeb(next)) throw new OciError('BadResponse', `${target.host} redirects to an invalid URL`);
    if (target.protocol === 'https:' && next.protocol !== 'https:')
      throw new OciError('BadResponse', `${target.host} redirects from HTTPS to plain HTTP`);
    if (next.origin !== target.origin) {
      const { authorization: _, ...rest } = headers;
      headers = rest;
    }
    target = next;
  }
}

const isWeb = ({ protocol }: URL): boolean => protocol === 'https:' || protocol === 'http:';

/** Whether a registry is on this host: nobody is in between, and no proxy leads there. */
export const isLoopback = (host: string): boolean => /^(localhost|\[::1\]|127(\.\d{1,3}){3})(:\d+)?$/.test(host);

// Connections are kept for a while: an image is several requests to one server.
const KEPT = { keepAlive: true, timeout: SILENCE_MS };
const DIRECT = { tls: new TlsAgent(KEPT), plain: new PlainAgent(KEPT) };
const PROXIED = {
  tls: new TlsAgent({ ...KEPT, proxyEnv: process.env }),
  plain: new PlainAgent({ ...KEPT, proxyEnv: process.env }),
};

function once(url: URL, { method = 'GET', headers, body, trust, signal }: HttpRequest): Promise<HttpResponse> {
  return new Promise((resolve, reject) => {
    const within = ownBoundary();
    within.expectWithin(url);
    const isTls = url.protocol === 'https:';
    const options = {
      method,
      lookup: within.lookup,
      headers: {
        'user-agent': 'vireo',
        ...headers,
        ...(body !== undefined && { 'content-length': Buffer.byteLength(body) }),
      },
      timeout: SILENCE_MS,
      signal,
    };
    const agents = isLoopback(url.host) ? DIRECT : PROXIED;
    const ca = trust?.ca === undefined ? undefined : [...getCACertificates('default'), trust.ca];
    const tls = { agent: agents.tls, ca, rejectUnauthorized: !trust?.isInsecure };
    const outgoing = isTls
      ? tlsRequest(url, { ...options, ...tls })
      : plainRequest(url, { ...options, agent: agents.plain });
    outgoing.once('response', (response) =>
      resolve({ status: response.statusCode ?? 0, headers: response.headers, body: response, url }),
    );
    outgoing.once('timeout', () => outgoing.destroy(new SilenceError(url.host)));
    outgoing.once('error', reject);
    outgoing.end(body);
  });
}

class SilenceError extends Error {
  readonly code = 'ETIMEDOUT';
  constructor(host: string) {
    super(`${host} has sent nothing for ${SILENCE_MS / 1000} seconds`);
    this.name = 'SilenceError';
  }
}

/** All of a body, up to a limit. */
export async function readBody(body: Readable, limitBytes: number, what: string): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let sizeBytes = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    sizeBytes += chunk.length;
    if (sizeBytes > limitBytes) throw new OciError('BadResponse', `${what} is larger than ${limitBytes} bytes`);
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const TRANSIENT_CODES = ['ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ECONNABORTED', 'ERR_STREAM_PREMATURE_CLOSE'];

/** Whether a failed connection may work a moment later. */
export const isTransient = (error: unknown): boolean => TRANSIENT_CODES.includes(errorCode(error));

export function errorCode(error: unknown): string {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';
}

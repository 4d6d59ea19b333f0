import { ApiError } from '@vireo/api';
import {
  type ApiRequest,
  type ApiResponse,
  type BytesResponse,
  bytesResponse,
  emptyResponse,
  isCredential,
  pipedResponse,
  textResponse,
} from '@vireo/kube';
import { withoutWebsocketToken } from '../auth/websocketToken.ts';
import type { Channel, OutboundRequest, OutboundResponse } from '../services/outbound/channel.ts';
import { type Address, hostPort } from '../services/resolve.ts';
import { answeredHeaders, forwardedHeaders, frontProxyHeaders } from './frontProxy.ts';
import { collected, watchEvents } from './inProcess.ts';

/** Where a request is handed on to. */
export interface ProxyTarget {
  readonly channel: Channel;
  readonly address: Address;
  /** Whether the server behind makes links for the client: it is told where the client has reached this one. */
  readonly tellsOrigin?: boolean;
}

/** A discovery document does not take longer. */
const DISCOVERY_MS = 5_000;
/** As long as Kubernetes gives to a request that is not a watch. */
const ANSWER_MS = 60_000;
const REDIRECTED = 'the backend attempted to redirect this request, which is not permitted';

/** A failure of the proxy itself: plain text, as Kubernetes' own. */
export const proxyError = (message: string, status = 503): BytesResponse => ({
  ...textResponse(`${message}\n`, status),
  headers: { 'x-content-type-options': 'nosniff' },
});

/** Hands a request on, with its user in the front proxy's headers, and its answer back as it comes. */
export async function proxy(request: ApiRequest, target: ProxyTarget): Promise<ApiResponse> {
  const late = new AbortController();
  const expire = (): void => late.abort(timedOut());
  const signal = AbortSignal.any([request.signal, late.signal]);
  const outgoing = await outboundRequest(request, target, signal);
  // An upload takes as long as it takes; what counts is how long the server behind needs after it.
  const patience = new Patience(isDiscovery(request.path) ? DISCOVERY_MS : ANSWER_MS, expire);
  if (isStream(outgoing.body)) outgoing.body.once('end', () => patience.begin());
  else patience.begin();
  try {
    return await answer(request, await target.channel.send(outgoing));
  } catch (error) {
    if (error instanceof ApiError) throw error;
    return proxyError(`error trying to reach service: ${(error as Error).message}`);
  } finally {
    patience.end();
  }
}

/** Kubernetes' answer to a request that took too long. */
const timedOut = (): ApiError =>
  new ApiError(
    'Timeout',
    'Timeout: request did not complete within the requested timeout - context deadline exceeded',
    {},
    504,
  );

/** A limit whose time runs from a moment that comes later, or never. */
class Patience {
  readonly #ms: number;
  readonly #expire: () => void;
  #timer: NodeJS.Timeout | undefined;
  #isOver = false;

  constructor(ms: number, expire: () => void) {
    this.#ms = ms;
    this.#expire = expire;
  }

  begin(): void {
    if (!this.#isOver) this.#timer ??= setTimeout(this.#expire, this.#ms);
  }

  end(): void {
    this.#isOver = true;
    clearTimeout(this.#timer);
  }
}

const isDiscovery = (path: string): boolean => path.split('/').filter(Boolean).length === 3;

const isStream = (body: OutboundRequest['body']): body is Exclude<OutboundRequest['body'], Buffer | undefined> =>
  body !== undefined && !Buffer.isBuffer(body);

/** The request as the server behind sees it. */
export async function outboundRequest(
  request: ApiRequest,
  { address, tellsOrigin }: ProxyTarget,
  signal: AbortSignal,
): Promise<OutboundRequest> {
  const { method, path, query, headers, user } = request;
  const body = await bodyOf(request);
  const host = hostPort(address);
  return {
    address,
    host,
    method,
    path: query.size > 0 ? `${path}?${query}` : path,
    headers: {
      ...forwardedHeaders(withoutWebsocketToken(headers), isCredential),
      ...frontProxyHeaders(user),
      ...(Buffer.isBuffer(body) && { 'content-length': String(body.length) }),
      'x-forwarded-uri': path,
      'x-forwarded-host': (tellsOrigin && originOf(headers)) || host,
      'x-forwarded-proto': (tellsOrigin && headers['x-forwarded-proto']) || 'https',
    },
    ...(body !== undefined && { body }),
    signal,
  };
}

const originOf = (headers: ApiRequest['headers']): string | undefined =>
  headers['x-forwarded-host'] ?? headers.host ?? headers[':authority'];

async function bodyOf(request: ApiRequest): Promise<OutboundRequest['body']> {
  if (!request.input) {
    const body = await request.body();
    if (body === undefined) return undefined;
    return 'bytes' in body ? body.bytes : Buffer.from(JSON.stringify(body.value));
  }
  const { 'content-length': length, 'transfer-encoding': encoding, ':method': isHttp2 } = request.headers;
  if (length === '0') return undefined;
  if (length === undefined && encoding === undefined && !isHttp2) return undefined;
  const input = request.input() as ReturnType<typeof request.input> & { readonly endAfterHeaders?: boolean };
  return input.endAfterHeaders ? undefined : input;
}

async function answer(request: ApiRequest, response: OutboundResponse): Promise<ApiResponse> {
  const { status, body } = response;
  const { 'content-type': type, ...headers } = answeredHeaders(response.headers);
  const contentType = String(type ?? 'text/plain; charset=utf-8');
  if (status >= 300 && status < 400 && headers.location !== undefined) {
    body.destroy();
    return textResponse(REDIRECTED, 502);
  }
  if (request.method === 'HEAD' || status === 204 || status === 304) {
    body.resume();
    return { ...emptyResponse(status), contentType, headers };
  }
  const isWatch = ['true', '1'].includes(request.query.get('watch') ?? '');
  if (request.input)
    return { ...pipedResponse(body, contentType, status), headers, ...(!isWatch && { isDownload: true }) };
  if (isWatch && status === 200) return watchEvents(body, contentType);
  const single = Object.entries(headers).map(([name, value]) => [name, [value].flat().join(', ')]);
  return { ...bytesResponse(await collected(body), contentType, status), headers: Object.fromEntries(single) };
}

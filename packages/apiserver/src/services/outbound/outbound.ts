import { Channel, type OutboundRequest, type OutboundResponse } from './channel.ts';
import { DEADLINE_EXCEEDED, OutboundError } from './goErrors.ts';
import { type TlsConfig, tlsKey } from './tls.ts';

/** What bounds a call. */
export interface CallLimits {
  /** For everything, from dialling to the last byte. */
  readonly timeoutMs: number;
  readonly maxBytes: number;
}

/** A whole answer. */
export interface CallResult {
  readonly status: number;
  readonly headers: OutboundResponse['headers'];
  readonly bytes: Buffer;
}

const MAX_CHANNELS = 64;

/**
 * Calls that the server makes itself, to webhooks and aggregated servers. Connections are kept per configuration.
 *
 * @example
 * const outbound = new Outbound();
 * const address = resolve({ namespace: 'system', name: 'checks', port: 443 });
 * const { status, bytes } = await outbound.call(
 *   { serverName: 'checks.system.svc', caBundle },
 *   { address, host: 'checks.system.svc:443', method: 'POST', path: '/validate?timeout=10s', headers, body },
 *   { timeoutMs: 10_000, maxBytes: 4 << 20 },
 * );
 */
export class Outbound {
  readonly #channels = new Map<string, Channel>();

  /** The connections of a configuration. HTTP/2 is used where the server offers it, if that is wanted. */
  channel(config: TlsConfig, options: { offersHttp2?: boolean } = {}): Channel {
    const key = `${options.offersHttp2 ? 'h2' : 'h1'}\n${tlsKey(config)}`;
    const known = this.#channels.get(key);
    // The one that was used last is forgotten last.
    this.#channels.delete(key);
    const channel = known ?? new Channel(config, options);
    this.#channels.set(key, channel);
    if (this.#channels.size > MAX_CHANNELS) this.#evict();
    return channel;
  }

  /** One call over HTTP/1.1, answered as a whole. Fails with an `OutboundError` in Go's words. */
  call(config: TlsConfig, request: OutboundRequest, limits: CallLimits): Promise<CallResult> {
    return callOn(this.channel(config), request, limits);
  }

  close(): void {
    for (const channel of this.#channels.values()) channel.close();
    this.#channels.clear();
  }

  #evict(): void {
    for (const [key, channel] of this.#channels) {
      this.#channels.delete(key);
      channel.retire();
      return;
    }
  }
}

/** One call on a channel, answered as a whole and in time. */
export async function callOn(channel: Channel, request: OutboundRequest, limits: CallLimits): Promise<CallResult> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new OutboundError(DEADLINE_EXCEEDED)), limits.timeoutMs);
  const signal = request.signal ? AbortSignal.any([request.signal, limit.signal]) : limit.signal;
  try {
    const { status, headers, body } = await channel.send({ ...request, signal });
    return { status, headers, bytes: await readBounded(body, limits.maxBytes, signal) };
  } finally {
    clearTimeout(timer);
  }
}

function readBounded(body: OutboundResponse['body'], maxBytes: number, signal: AbortSignal): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const chunks: Buffer[] = [];
  let size = 0;
  body.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size <= maxBytes) return;
    reject(new OutboundError(`response body is larger than ${maxBytes} bytes`));
    body.destroy();
  });
  body.once('end', () => resolve(Buffer.concat(chunks)));
  const fail = (): void => reject(signal.aborted ? signal.reason : new OutboundError('unexpected EOF'));
  body.once('error', fail);
  body.once('close', fail);
  return promise;
}

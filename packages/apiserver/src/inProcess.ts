import { ApiError } from '@vireo/api';
import {
  type ApiCall,
  type ApiCallResult,
  type ApiHandler,
  type ApiRequest,
  type ApiResponse,
  type RequestBody,
  type StreamFrame,
  type StreamSink,
  type Transport,
  type UserInfo,
  type WatchEvent,
  warningHeaders,
} from '@vireo/kube';

/**
 * A client's way into the server of the same process, as a given user: authorised and admitted like any other, but
 * without TLS and without JSON. Its user agent names the manager of what it writes. Answers are the stored objects themselves; they are frozen.
 */
export function inProcessTransport(handle: ApiHandler, user: UserInfo, userAgent = lastPart(user.username)): Transport {
  const from = { user, userAgent };
  const closed = new AbortController();
  return {
    call: async (call) => {
      const { signal } = closed;
      signal.throwIfAborted();
      call.signal?.throwIfAborted();
      return callHandler(() => handle(toRequest(call, from, call.signal ?? signal)));
    },
    watch: async (call) => {
      const ending = endingWith(closed.signal, call.signal);
      const { signal } = ending;
      try {
        signal.throwIfAborted();
        const watching = { ...call, query: { ...call.query, watch: true } };
        const response = await handle(toRequest(watching, from, signal));
        if (response.type === 'bytes') throw ApiError.from(response.status, response.bytes.toString());
        if (response.type !== 'stream') throw new ApiError(undefined, `${call.path} is not a watch`, undefined, 500);
        return events(response.start, ending);
      } catch (error) {
        ending.release();
        throw error;
      }
    },
    close: async () => closed.abort(),
  };
}

interface Ending {
  readonly signal: AbortSignal;
  /** Lets go of what was listened to; clients and controllers live longer than their watches. */
  release(): void;
}

/** A signal that aborts with the first of the others. */
function endingWith(...others: (AbortSignal | undefined)[]): Ending {
  const own = new AbortController();
  const listening = others
    .filter((other) => other !== undefined)
    .map((other) => {
      const abort = (): void => own.abort(other.reason);
      if (other.aborted) abort();
      else other.addEventListener('abort', abort, { once: true });
      return () => other.removeEventListener('abort', abort);
    });
  return {
    signal: own.signal,
    release: () => {
      for (const stop of listening) stop();
    },
  };
}

/** `system:serviceaccount:kubevirt:kubevirt-controller` calls itself kubevirt-controller. */
const lastPart = (username: string): string => username.slice(username.lastIndexOf(':') + 1);

function toRequest(
  call: ApiCall,
  { user, userAgent }: { user: UserInfo; userAgent: string },
  signal: AbortSignal,
): ApiRequest {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value));
  return {
    method: call.method,
    path: call.path,
    query,
    headers: { 'user-agent': userAgent, ...(call.accept !== undefined && { accept: call.accept }) },
    user,
    signal,
    body: async (): Promise<RequestBody | undefined> =>
      call.body === undefined ? undefined : { value: call.body, contentType: call.contentType ?? 'application/json' },
  };
}

async function callHandler(handle: () => Promise<ApiResponse>): Promise<ApiCallResult> {
  try {
    const response = await handle();
    // Only what goes to a socket has headers with several values.
    const headers = { ...(response.headers as Record<string, string>), ...warningHeader(response.warnings) };
    if (response.type === 'object') return { status: response.status, headers, body: response.object() };
    if (response.type === 'bytes')
      return { status: response.status, headers, body: parseBody(response.contentType, response.bytes) };
    throw new ApiError('BadRequest', 'a plain call requested a stream');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.code, headers: warningHeader(error.warnings), body: error.status };
  }
}

const warningHeader = (warnings: readonly string[] = []): Record<string, string> =>
  warnings.length > 0 ? { warning: warningHeaders(warnings).join(', ') } : {};

const parseBody = (contentType: string, bytes: Buffer): unknown =>
  contentType.startsWith('application/json') ? JSON.parse(bytes.toString()) : bytes.toString();

/** The frames of a stream as an async iterable; it runs from now on, whether or not anybody reads yet. */
function events(start: (sink: StreamSink) => () => void, { signal, release }: Ending): AsyncIterable<WatchEvent> {
  const waiting: StreamFrame[] = [];
  let ended = false;
  let wake: () => void = () => {};
  const drained: (() => void)[] = [];
  const end = (): void => {
    ended = true;
    release();
    wake();
  };
  const stop = start({
    write: (frame) => {
      waiting.push(frame);
      wake();
    },
    end,
    fail: end,
    get bufferedBytes() {
      return waiting.length * FRAME_COST;
    },
    onDrain: (callback) => drained.push(callback),
  });
  signal.addEventListener('abort', () => {
    stop();
    release();
    wake();
  });
  return read();

  async function* read(): AsyncGenerator<WatchEvent> {
    try {
      while (!signal.aborted) {
        const batch = waiting.splice(0);
        if (batch.length === 0 && ended) return;
        for (const { type, object } of batch) {
          if (type) yield { type, object };
          if (signal.aborted) return;
        }
        for (const callback of drained.splice(0)) callback();
        if (waiting.length === 0 && !ended && !signal.aborted)
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
      }
    } finally {
      stop();
      release();
    }
  }
}

/** What a waiting frame counts for: about the size of an object. */
const FRAME_COST = 2048;

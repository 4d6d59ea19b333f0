import { ApiError } from '@vireo/api';
import type { ApiAnswer, ApiCall, Transport, WatchEvent } from '@vireo/kube';
import type { ApiHandler, ApiRequest, ApiResponse, RequestBody, StreamFrame, StreamSink, UserInfo } from './request.ts';

/**
 * A client's way into the server of the same process, as a given user: authorised and admitted like any other, but
 * without TLS and without JSON. Answers are the stored objects themselves; they are frozen.
 */
export function inProcessTransport(handle: ApiHandler, user: UserInfo): Transport {
  const closed = new AbortController();
  return {
    call: async (call) => {
      const { signal } = closed;
      signal.throwIfAborted();
      call.signal?.throwIfAborted();
      return toAnswer(() => handle(toRequest(call, user, call.signal ?? signal)));
    },
    watch: async (call) => {
      const abort = new AbortController();
      const signal = AbortSignal.any([closed.signal, abort.signal, ...(call.signal ? [call.signal] : [])]);
      const watching = { ...call, query: { ...call.query, watch: true } };
      signal.throwIfAborted();
      const response = await handle(toRequest(watching, user, signal));
      if (response.type !== 'stream') throw new ApiError(undefined, `${call.path} is not a watch`, undefined, 500);
      return events(response.start, signal);
    },
    close: async () => closed.abort(),
  };
}

function toRequest(call: ApiCall, user: UserInfo, signal: AbortSignal): ApiRequest {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, String(value));
  return {
    method: call.method,
    path: call.path,
    query,
    headers: { ...(call.accept !== undefined && { accept: call.accept }) },
    user,
    signal,
    body: async (): Promise<RequestBody | undefined> =>
      call.body === undefined ? undefined : { value: call.body, contentType: call.contentType ?? 'application/json' },
  };
}

async function toAnswer(handle: () => Promise<ApiResponse>): Promise<ApiAnswer> {
  try {
    const response = await handle();
    const headers = response.headers ?? {};
    if (response.type === 'object') return { status: response.status, headers, body: response.object() };
    if (response.type === 'bytes')
      return { status: response.status, headers, body: parsed(response.contentType, response.bytes) };
    throw new ApiError('BadRequest', 'a stream was asked for by a plain call');
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    return { status: error.code, headers: {}, body: error.status };
  }
}

const parsed = (contentType: string, bytes: Buffer): unknown =>
  contentType.startsWith('application/json') ? JSON.parse(bytes.toString()) : bytes.toString();

/** The frames of a stream as an async iterable; it runs from now on, whether or not anybody reads yet. */
function events(start: (sink: StreamSink) => () => void, signal: AbortSignal): AsyncIterable<WatchEvent> {
  const waiting: StreamFrame[] = [];
  let ended = false;
  let wake: () => void = () => {};
  const drained: (() => void)[] = [];
  const stop = start({
    write: (frame) => {
      waiting.push(frame);
      wake();
    },
    end: () => {
      ended = true;
      wake();
    },
    get bufferedBytes() {
      return waiting.length * FRAME_COST;
    },
    onDrain: (callback) => drained.push(callback),
  });
  signal.addEventListener('abort', () => {
    stop();
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
    }
  }
}

/** What a waiting frame counts for: about the size of an object. */
const FRAME_COST = 2048;

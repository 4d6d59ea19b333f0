import { once } from 'node:events';
import { type ClientHttp2Stream, constants } from 'node:http2';
import type { ApiCallResult } from './transport.ts';

/** One request and its answer on a stream. */
export class Exchange {
  readonly stream: ClientHttp2Stream;
  readonly answer: Promise<{ status: number; headers: ApiCallResult['headers'] }>;
  readonly #signal: AbortSignal;
  readonly #onAbort = () => this.stream.close(constants.NGHTTP2_CANCEL);
  readonly #chunks: AsyncIterator<Buffer, undefined>;
  #next: Promise<IteratorResult<Buffer, undefined>>;

  constructor(stream: ClientHttp2Stream, signal: AbortSignal) {
    this.stream = stream;
    this.#signal = signal;
    if (signal.aborted) this.#onAbort();
    signal.addEventListener('abort', this.#onAbort, { once: true });
    stream.once('close', () => signal.removeEventListener('abort', this.#onAbort));
    this.answer = this.#firstAnswer();
    this.answer.catch(() => {});
    // Reading begins before anything can have come. A stream is `closed` as soon as all of it is here, and Node tells
    // whoever begins to read a closed stream that it was cut off, although the body waits in it.
    this.#chunks = (stream as AsyncIterable<Buffer, undefined>)[Symbol.asyncIterator]();
    this.#next = this.#chunks.next();
    this.#next.catch(() => {});
  }

  /** The whole body. */
  async text(): Promise<string> {
    const chunks: Buffer[] = [];
    for await (const chunk of this.body()) chunks.push(chunk);
    return Buffer.concat(chunks).toString('utf8');
  }

  /**
   * The body as it comes, to be read once and at leisure: what is not read holds the sender back. Throws unless the
   * server ended it itself.
   */
  async *body(): AsyncGenerator<Buffer, void> {
    const { stream } = this;
    let isComplete = false;
    try {
      for (; ; this.#next = this.#chunks.next()) {
        const { done, value } = await this.#next;
        if (done) break;
        yield value;
      }
      isComplete = true;
    } catch (error) {
      this.#signal.throwIfAborted();
      throw isCutOff(error) ? new Error(resetMessage(stream), { cause: error }) : error;
    } finally {
      if (!isComplete) stream.close(constants.NGHTTP2_CANCEL);
    }
    if (!stream.destroyed) await once(stream, 'close');
    this.#signal.throwIfAborted();
    // A connection that was lost can look like an orderly end; only END_STREAM leaves no code behind.
    if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Error(resetMessage(stream));
  }

  #firstAnswer(): Promise<{ status: number; headers: ApiCallResult['headers'] }> {
    const { stream } = this;
    const { promise, resolve, reject } = Promise.withResolvers<Awaited<Exchange['answer']>>();
    let failure: Error | undefined;
    stream.on('error', (error) => {
      failure = error;
    });
    stream.once('response', (headers) => {
      const { ':status': status = 0, ...rest } = headers;
      resolve({ status: Number(status), headers: flatten(rest) });
    });
    stream.once('close', () => {
      const cause = failure ?? new Error(resetMessage(stream));
      const isRefused = stream.rstCode === constants.NGHTTP2_REFUSED_STREAM;
      reject(stream.pending || isRefused ? new RequestNotSentError({ cause }) : cause);
    });
    return promise;
  }
}

const resetMessage = ({ rstCode }: ClientHttp2Stream): string =>
  `the connection was closed before the response was complete (HTTP/2 error ${rstCode})`;

const isCutOff = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ERR_STREAM_PREMATURE_CLOSE';

/** The server cannot have seen the request: it is safe to send it again. */
export class RequestNotSentError extends Error {
  constructor(options: ErrorOptions) {
    super('the request was not sent', options);
    this.name = 'RequestNotSentError';
  }
}

const flatten = (headers: Readonly<Record<string, string | string[] | undefined>>): ApiCallResult['headers'] =>
  Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, Array.isArray(value) ? value.join(', ') : value]),
  );

import http2 from 'node:http2';
import { WebSocket } from 'ws';

/** A request as it goes over the wire: nothing of it is made better on the way. */
export interface Sent {
  readonly method: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string | string[]>>;
  readonly body?: string | Buffer;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** Who asks: nothing, a client certificate, or a token. */
export interface Credentials {
  readonly ca: string;
  readonly cert?: string;
  readonly key?: string;
  readonly token?: string;
}

/** The connection ended, or no answer came. */
export class NoAnswer extends Error {}

const TIMEOUT_MS = 60_000;
/** More than any answer that is read; what goes on for ever is cut off there. */
const MAX_BODY_BYTES = 64 << 20;

/** An HTTP/2 connection that sends whatever it is told to, and connects anew when it was cut off. */
export class Wire {
  readonly #url: string;
  readonly #credentials: Credentials;
  #session: http2.ClientHttp2Session | undefined;

  constructor(port: number, credentials: Credentials) {
    this.#url = `https://127.0.0.1:${port}`;
    this.#credentials = credentials;
  }

  /** Resolves with the answer; with `headersOnly` as soon as it begins, as for a watch. */
  send(sent: Sent, { headersOnly = false }: { headersOnly?: boolean } = {}): Promise<Answer> {
    const { token } = this.#credentials;
    return new Promise((resolve, reject) => {
      const stream = this.#connected().request(
        {
          ':method': sent.method,
          ':path': sent.path,
          ...(token !== undefined && { authorization: `Bearer ${token}` }),
          ...sent.headers,
        },
        { endStream: sent.body === undefined },
      );
      let head: Answer = { status: 0, headers: {}, body: '' };
      const chunks: Buffer[] = [];
      let length = 0;
      const finish = (): void => {
        clearTimeout(timer);
        resolve({ ...head, body: Buffer.concat(chunks).toString() });
        stream.close(http2.constants.NGHTTP2_CANCEL);
      };
      const fail = (why: string): void => {
        clearTimeout(timer);
        stream.close(http2.constants.NGHTTP2_CANCEL);
        reject(new NoAnswer(`${sent.method} ${sent.path.slice(0, 200)}: ${why}`));
      };
      const timer = setTimeout(
        () => fail(`${head.status > 0 ? 'no end of the answer' : 'no answer'} within ${TIMEOUT_MS / 1000} s`),
        TIMEOUT_MS,
      );
      stream.on('response', (headers) => {
        head = { status: Number(headers[':status']), headers, body: '' };
        if (headersOnly) finish();
      });
      stream.on('data', (chunk: Buffer) => {
        chunks.push(chunk);
        length += chunk.length;
        if (length > MAX_BODY_BYTES) finish();
      });
      stream.on('end', finish);
      stream.on('error', (error) => (head.status > 0 ? finish() : fail(error.message)));
      stream.on('close', () => (head.status > 0 ? finish() : fail('the stream was closed')));
      if (sent.body !== undefined) stream.end(sent.body);
    });
  }

  /** A stream by the same credentials. */
  webSocket(path: string): WebSocket {
    const { ca, cert, key, token } = this.#credentials;
    const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
    return new WebSocket(`${this.#url}${path}`.replace(/^https/, 'wss'), {
      ca,
      headers,
      ...(cert && { cert }),
      ...(key && { key }),
    });
  }

  close(): void {
    this.#session?.destroy();
    this.#session = undefined;
  }

  #connected(): http2.ClientHttp2Session {
    const { ca, cert, key } = this.#credentials;
    if (this.#session && !this.#session.closed && !this.#session.destroyed) return this.#session;
    const session = http2.connect(this.#url, { ca, ...(cert && { cert }), ...(key && { key }) });
    // Whoever waits for an answer hears of it by his stream.
    session.on('error', () => {});
    session.on('goaway', () => session.close());
    this.#session = session;
    return session;
  }
}

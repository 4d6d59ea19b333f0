import http, { type IncomingHttpHeaders, type OutgoingHttpHeaders } from 'node:http';
import https from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import { getCACertificates } from 'node:tls';
import { digestOf } from '../volume/manifest.ts';
import { type S3Identity, signedHeaders } from './sign.ts';

export interface S3Response {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: Buffer;
}

export interface S3Request {
  readonly method: 'GET' | 'PUT' | 'DELETE' | 'HEAD';
  readonly url: URL;
  readonly body?: Uint8Array;
  /** What is larger is an error: it would only fill the memory. Default: more than anything but data and listings. */
  readonly mostBytes?: number;
}

/** An answer that is larger than was asked for. */
export class TooLarge extends Error {
  override readonly name = 'TooLarge';
  /** Whether it is what was asked for, and not an error. */
  readonly isObject: boolean;

  constructor(message: string, isObject: boolean) {
    super(message);
    this.isObject = isObject;
  }
}

export interface S3ClientOptions {
  readonly identity: S3Identity;
  /** Certificates to trust beside those that the host trusts, in PEM. */
  readonly cert: string | undefined;
  /** How long to wait before the first of a few retries; doubled each time. */
  readonly firstPauseMs?: number;
  /** How long a request may take, however busy the connection is. */
  readonly deadlineMs?: number;
}

const ATTEMPTS = 5;
const FIRST_PAUSE_MS = 300;
const IDLE_MS = 60_000;
/** A server that sends a byte now and then would hold up whoever reads it for ever. */
const DEADLINE_MS = 600_000;
const MOST_ANSWER_BYTES = 1 << 20;
/** Answers that another attempt may change. */
const PASSING = [408, 425, 429, 500, 502, 503, 504];

/** Sends signed requests, and tries again what passes by itself. */
export class S3Client {
  readonly #options: S3ClientOptions;
  readonly #agents: { readonly 'http:': http.Agent; readonly 'https:': https.Agent };

  constructor(options: S3ClientOptions) {
    this.#options = options;
    const ca = [
      ...getCACertificates('default'),
      ...getCACertificates('system'),
      ...(options.cert ? [options.cert] : []),
    ];
    const kept = { keepAlive: true, maxSockets: 16, timeout: IDLE_MS };
    this.#agents = { 'http:': new http.Agent(kept), 'https:': new https.Agent({ ...kept, ca: [...new Set(ca)] }) };
  }

  async send(request: S3Request): Promise<S3Response> {
    for (let attempt = 1; ; attempt++) {
      const isLast = attempt === ATTEMPTS;
      const pauseMs = (this.#options.firstPauseMs ?? FIRST_PAUSE_MS) * 2 ** (attempt - 1) * (0.5 + Math.random());
      try {
        const response = await this.#sendOnce(request);
        if (isLast || !PASSING.includes(response.status)) return response;
      } catch (error) {
        if (isLast || !isPassing(error as NodeJS.ErrnoException)) throw error;
      }
      await sleep(pauseMs);
    }
  }

  close(): void {
    for (const agent of Object.values(this.#agents)) agent.destroy();
  }

  async #sendOnce({ method, url, body, mostBytes = MOST_ANSWER_BYTES }: S3Request): Promise<S3Response> {
    const bodySha256 = await digestOf(body ?? new Uint8Array());
    const headers: OutgoingHttpHeaders = await signedHeaders({ method, url, bodySha256 }, this.#options.identity);
    headers['content-length'] = body?.length ?? 0;
    const secure = url.protocol === 'https:';
    const { promise, resolve, reject } = Promise.withResolvers<S3Response>();
    const options = { method, headers, agent: this.#agents[secure ? 'https:' : 'http:'], timeout: IDLE_MS };
    const call = (secure ? https : http).request(url, options, (response) => {
      const { statusCode: status = 0, headers } = response;
      // What a server says is wrong is longer than some objects.
      const most = isSuccess(status) ? mostBytes : Math.max(mostBytes, MOST_ANSWER_BYTES);
      const chunks: Buffer[] = [];
      let length = 0;
      response.on('data', (chunk: Buffer) => {
        length += chunk.length;
        if (length <= most) chunks.push(chunk);
        else response.destroy(new TooLarge(`status ${status} with more than ${most} bytes`, isSuccess(status)));
      });
      response.on('end', () => resolve({ status, headers, body: Buffer.concat(chunks) }));
      response.on('error', reject);
    });
    call.on('timeout', () => call.destroy(Object.assign(new Error('the server is silent'), { code: 'ETIMEDOUT' })));
    call.on('error', reject);
    const { deadlineMs = DEADLINE_MS } = this.#options;
    const deadline = setTimeout(() => {
      reject(new Error(`the answer takes longer than ${deadlineMs / 1000} seconds`));
      call.destroy();
    }, deadlineMs);
    call.end(body);
    return promise.finally(() => clearTimeout(deadline));
  }
}

/** Whether a status says that what was asked for was done. */
export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

/** Errors of connections. A certificate that is not trusted or a name that is not there stays so. */
const isPassing = ({ code = '' }: NodeJS.ErrnoException): boolean =>
  ['ECONNRESET', 'ECONNREFUSED', 'EPIPE', 'ETIMEDOUT', 'EAI_AGAIN', 'ENETUNREACH', 'EHOSTUNREACH'].includes(code);

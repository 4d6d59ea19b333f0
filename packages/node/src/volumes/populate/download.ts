import http, { type IncomingMessage } from 'node:http';
import { getCACertificates } from 'node:tls';
import { type Clock, pause } from '@vireo/kube';
import { ownBoundary } from '@vireo/oci';
import { Connection } from './connection.ts';
import type { Bytes } from './unpack.ts';

export interface DownloadOptions {
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Headers of its own for each request to the server of the URL, such as a signature. */
  readonly sign?: ((url: URL) => Promise<Readonly<Record<string, string>>>) | undefined;
  /** Certificates to trust beside the system's, in PEM. */
  readonly ca?: string;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface Download {
  /** Undefined where the server does not say. */
  readonly totalBytes: number | undefined;
  /**
   * The whole of it, from first to last byte, however often the connection broke on the way. Each chunk is good until
   * the next one is asked for.
   */
  readonly data: Bytes;
}

/** A server that is silent for so long has broken off. */
const IDLE_MS = 60_000;
const MAX_REDIRECTS = 10;
/** Attempts in a row that bring nothing. */
const MAX_ATTEMPTS = 5;
const FIRST_PAUSE_MS = 500;

/** The server answers and does not give what was asked for. */
export class HttpRefusal extends Error {
  override readonly name = 'HttpRefusal';
}

interface DownloadResponse {
  readonly response: IncomingMessage;
  readonly body: Bytes;
}

/** Begins a download. When the connection breaks, it goes on where it stopped, as long as the file is the same. */
export async function download(options: DownloadOptions): Promise<Download> {
  const first = await request(options, options.headers ?? {});
  const { statusCode = 0, headers } = first.response;
  if (statusCode !== 200) throw refusal(options.url, first);
  const length = Number(headers['content-length'] ?? Number.NaN);
  const totalBytes = Number.isFinite(length) ? length : undefined;
  const mark = markOf(first);
  const isResumable = headers['accept-ranges'] !== 'none' && mark !== undefined;
  return { totalBytes, data: body() };

  async function* body(): AsyncGenerator<Buffer> {
    let received = 0;
    let answer = first;
    for (let attempt = 1; ; attempt++) {
      let failure: Error;
      try {
        for await (const chunk of answer.body) {
          received += chunk.length;
          attempt = 0;
          yield chunk;
        }
        if (totalBytes === undefined || received === totalBytes) return;
        failure = new Error(`the connection ended after ${received} of ${totalBytes} bytes`);
      } catch (error) {
        failure = error as Error;
      } finally {
        answer.response.destroy();
      }
      options.signal.throwIfAborted();
      answer = await again(received, attempt, failure);
    }
  }

  /** The rest of the file, over a new connection. */
  async function again(received: number, attempt: number, failure: Error): Promise<DownloadResponse> {
    const broken = (why: string): Error =>
      new Error(
        `download of ${withoutSecrets(options.url)} stopped after ${received} bytes: ${failure.message}${why}`,
        {
          cause: failure,
        },
      );
    // Nothing has come yet: to ask for the whole again is to go on.
    const isUnbegun = received === 0;
    if (!isResumable && !isUnbegun) throw broken('; the server does not support resuming downloads');
    let last: Error = failure;
    for (let tried = attempt; tried < MAX_ATTEMPTS; tried++) {
      await pause(FIRST_PAUSE_MS * 2 ** Math.max(0, tried), options.signal, options.clock);
      options.signal.throwIfAborted();
      const range: Record<string, string> = isUnbegun ? {} : { range: `bytes=${received}-`, 'if-range': mark ?? '' };
      try {
        const answer = await request(options, { ...options.headers, ...range });
        const { statusCode } = answer.response;
        const isRest = statusCode === 206 && startOf(answer) === received;
        const isWhole = isUnbegun && statusCode === 200 && markOf(answer) === mark;
        if (isRest || isWhole) return answer;
        answer.response.destroy();
        if (statusCode === 200) throw new HttpRefusal('the file changed on the server during the download');
        last = refusal(options.url, answer);
      } catch (error) {
        if (error instanceof HttpRefusal) throw broken(`; ${error.message}`);
        last = error as Error;
      }
    }
    throw broken(`; ${last.message}`);
  }
}

/** What tells one state of a file from another. Weak marks do not. */
function markOf({ response }: DownloadResponse): string | undefined {
  const { etag, 'last-modified': modified } = response.headers;
  return etag && !etag.startsWith('W/') ? etag : modified;
}

const startOf = ({ response }: DownloadResponse): number =>
  Number(/^bytes (\d+)-/.exec(response.headers['content-range'] ?? '')?.[1] ?? Number.NaN);

const refusal = (url: string, { response }: DownloadResponse): HttpRefusal =>
  new HttpRefusal(`${withoutSecrets(url)} answered ${response.statusCode} ${response.statusMessage ?? ''}`.trim());

/** Asks, and follows where the server points to. Credentials stay with the server that they are for. */
async function request(options: DownloadOptions, headers: Readonly<Record<string, string>>): Promise<DownloadResponse> {
  const { origin } = new URL(options.url);
  let url = new URL(options.url);
  let sent = headers;
  let isAtHome = true;
  for (let redirects = 0; ; redirects++) {
    const signature = isAtHome ? await options.sign?.(url) : undefined;
    const answer = await ask(url, { ...sent, ...signature }, options);
    const { statusCode = 0, headers: answered } = answer.response;
    if (![301, 302, 303, 307, 308].includes(statusCode) || answered.location === undefined) return answer;
    answer.response.destroy();
    if (redirects === MAX_REDIRECTS) throw new HttpRefusal(`${withoutSecrets(options.url)} redirects too many times`);
    const next = new URL(answered.location, url);
    if (next.origin !== url.origin)
      sent = Object.fromEntries(Object.entries(sent).filter(([name]) => PUBLIC.includes(name.toLowerCase())));
    // Who was sent elsewhere is not trusted again, wherever that leads.
    isAtHome &&= next.origin === origin;
    url = next;
  }
}

const PUBLIC = ['range', 'if-range', 'accept'];

function ask(url: URL, headers: Readonly<Record<string, string>>, options: DownloadOptions): Promise<DownloadResponse> {
  if (url.protocol !== 'http:' && url.protocol !== 'https:')
    throw new HttpRefusal(`${withoutSecrets(url.href)}: only http and https are supported`);
  const within = ownBoundary();
  within.expectWithin(url);
  const { promise, resolve, reject } = Promise.withResolvers<DownloadResponse>();
  const { username, password } = url;
  const auth = username ? `${decodeURIComponent(username)}:${decodeURIComponent(password)}` : undefined;
  const ca = url.protocol === 'https:' ? trustedCertificates(options.ca) : [];
  let connection: Connection | undefined;
  const call = http.get({
    createConnection: () => {
      connection = new Connection({ url, ca, lookup: within.lookup, idleMs: IDLE_MS });
      return connection;
    },
    setHost: false,
    path: `${url.pathname}${url.search}`,
    headers: { host: url.host, accept: '*/*', 'accept-encoding': 'identity', 'user-agent': 'vireo', ...headers },
    signal: options.signal,
    ...(auth && { auth }),
  });
  call.once('response', (response) => connection && resolve({ response, body: connection.bodyOf(response) }));
  call.once('error', (error) => reject(new Error(`${withoutSecrets(url.href)}: ${reasonOf(error)}`, { cause: error })));
  return promise;
}

/** What everybody trusts, what this host does, and what was given. */
function trustedCertificates(given: string | undefined): string[] {
  const known = [...getCACertificates('default'), ...getCACertificates('system')];
  return [...new Set(given === undefined ? known : [...known, given])];
}

/** Codes of OpenSSL for a certificate that nobody whom we trust vouches for. */
const UNTRUSTED = /^(UNABLE_TO_|DEPTH_ZERO_SELF_SIGNED_CERT|SELF_SIGNED_CERT_IN_CHAIN)/;

function reasonOf({ code = '', message }: NodeJS.ErrnoException): string {
  // What Node advises is no advice to who cannot start it otherwise.
  const reason = message.replace(/; if the root CA.*$/, '');
  return UNTRUSTED.test(code) ? `${reason}; set certConfigMap to a ConfigMap with its CA` : reason;
}

/** A URL without its secrets. */
export function withoutSecrets(text: string): string {
  try {
    const url = new URL(text);
    return `${url.origin}${url.pathname}`;
  } catch {
    return JSON.stringify(text);
  }
}

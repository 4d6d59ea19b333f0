import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { setTimeout as pause } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { Failure } from '../../../failure.ts';
import type { TransferProgress } from '../../../progress/progressDisplay.ts';
import { reasonOf } from '../refusal.ts';

/** Where uploads are taken, and what it is trusted by. */
export interface UploadServer {
  readonly url: string;
  readonly insecure: boolean;
  /** The authority of the API's certificate: the proxy may be behind the same. */
  readonly certificateAuthority?: string | Buffer;
}

interface UploadResponse {
  readonly code: number;
  readonly body: string;
}

export const ASYNC_PATH = '/v1beta1/upload-async';
const PATH = '/v1beta1/upload';
const MAX_NEW_TOKENS = 3;
const RETRY_MS = 1_000;
/** How long an answer that was sent before the connection broke may take to arrive. */
const LATE_RESPONSE_MS = 500;

export interface Sending {
  readonly file: string;
  readonly retries: number;
  readonly newToken: () => Promise<string>;
  readonly showProgress: (totalBytes: number) => TransferProgress;
}

/** Sends the file, again where the server did not take it; a token that has expired is asked for anew. */
export async function sendFile(
  server: UploadServer,
  { file, retries, newToken, showProgress }: Sending,
): Promise<void> {
  const { size } = await stat(file);
  let token = await newToken();
  let newTokens = 0;
  const url = await uploadUrl(server, token);
  let problem = '';
  for (let attempt = 0; attempt <= retries; attempt++) {
    if (attempt > 0) await pause(RETRY_MS);
    const progress = showProgress(size);
    try {
      const { code, body } = await post(server, url, token, file, size, progress);
      if (code === 200) return;
      problem = `unexpected return value ${code}, ${body}`;
      if (isFinal(code)) throw new Failure(problem);
      if (code === 401 && attempt > 0 && newTokens++ < MAX_NEW_TOKENS) token = await newToken();
    } catch (error) {
      if (error instanceof Failure) throw error;
      problem = reasonOf(error);
    } finally {
      progress.end();
    }
  }
  throw new Failure(
    retries > 0 ? `error uploading image after ${retries} retries: ${problem}` : problem,
    `Is ${new URL(url).origin} correct? To use another URL: --uploadproxy-url.`,
  );
}

/** What is refused for itself, such as an image that does not fit, would be refused again. */
const isFinal = (code: number): boolean => code >= 400 && code < 500 && ![401, 408, 425, 429].includes(code);

/** The path that answers at once and works on, where the server has it. */
async function uploadUrl(server: UploadServer, token: string): Promise<string> {
  const later = withPath(server.url, ASYNC_PATH);
  try {
    const response = await exchange(server, later, 'HEAD', { authorization: `Bearer ${token}` });
    response.resume();
    if (response.statusCode === 200) return later;
  } catch {
    // The POST will tell what is wrong.
  }
  return withPath(server.url, PATH);
}

/** A path below the address of an upload server, which may name it already. */
export function withPath(base: string, path: string): string {
  const url = new URL(base);
  if (!url.pathname.endsWith(path)) url.pathname = `${url.pathname.replace(/\/$/, '')}${path}`;
  return url.href;
}

async function post(
  server: UploadServer,
  url: string,
  token: string,
  file: string,
  size: number,
  progress: TransferProgress,
): Promise<UploadResponse> {
  const headers = {
    authorization: `Bearer ${token}`,
    'content-type': 'application/octet-stream',
    'content-length': String(size),
  };
  const response = await exchange(server, url, 'POST', headers, file, progress);
  const body = Buffer.concat(await response.toArray())
    .toString()
    .trim();
  return { code: response.statusCode ?? 0, body };
}

/** The authorities that everybody trusts, and the server's own. */
export const trustedBy = (authority: UploadServer['certificateAuthority']): string[] | undefined =>
  authority ? [...rootCertificates, String(authority)] : undefined;

function exchange(
  { insecure, certificateAuthority }: UploadServer,
  url: string,
  method: 'HEAD' | 'POST',
  headers: Readonly<Record<string, string>>,
  file?: string,
  progress?: TransferProgress,
): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const ca = trustedBy(certificateAuthority);
  const options = { method, headers, agent: false as const };
  const request = url.startsWith('https:')
    ? tlsRequest(url, { ...options, rejectUnauthorized: !insecure, ...(ca && { ca }) }, resolve)
    : plainRequest(url, options, resolve);
  // A server that has heard enough answers and hangs up: what it said counts, not that we could not go on.
  const broken = (error: Error): void => {
    const timer = setTimeout(() => reject(error), LATE_RESPONSE_MS);
    promise.then(
      () => clearTimeout(timer),
      () => clearTimeout(timer),
    );
  };
  request.on('error', broken);
  if (!file) {
    request.end();
    return promise;
  }
  const source = createReadStream(file);
  source.on('data', (chunk) => progress?.add(chunk.length));
  source.once('error', reject);
  request.once('close', () => source.destroy());
  // Answered before the end: nobody will read the rest, and waiting for that would be for ever.
  promise.then(
    (response) => response.once('close', () => request.destroy()),
    () => {},
  );
  source.pipe(request);
  return promise;
}

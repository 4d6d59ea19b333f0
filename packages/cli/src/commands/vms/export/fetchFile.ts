import { createWriteStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { basename } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import { setTimeout } from 'node:timers/promises';
import { rootCertificates } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { SparseFile } from '@vireo/node/volumes/populate/sparseFile.ts';
import { Failure } from '../../../failure.ts';
import { transferProgress } from '../../../progress/progressDisplay.ts';
import { reasonOf } from '../refusal.ts';
import type { Download } from './source.ts';

export interface FetchOptions {
  readonly token: string;
  readonly insecure: boolean;
  readonly accept?: string;
  /** Of the answer: take it out of its gzip. */
  readonly decompress?: boolean;
  /** How often to try again where the server cannot answer, or nothing came of it. Default: not at all. */
  readonly retries?: number;
}

const FIRST_PAUSE_MS = 1_000;

/** The server may answer differently in a moment. */
class PassingFailure extends Failure {}

/** Writes what is at an address to a file, or to standard output; of a file that breaks off, nothing stays. */
export async function fetchTo(output: string | undefined, download: Download, options: FetchOptions): Promise<void> {
  // What is on standard output cannot be taken back.
  await withRetries(output === undefined ? 0 : options.retries, () => fetchOnce(output, download, options));
}

/** What is at an address, as text. */
export const fetchText = (download: Download, options: FetchOptions): Promise<string> =>
  withRetries(options.retries, async () => text(await fetchResponse(download, options)));

async function withRetries<T>(retries = 0, act: () => Promise<T>): Promise<T> {
  for (let tried = 0; ; tried++) {
    try {
      return await act();
    } catch (error) {
      if (!(error instanceof PassingFailure) || tried >= retries) throw error;
      console.error(`${error.message}; retrying`);
      await setTimeout(FIRST_PAUSE_MS * 2 ** tried);
    }
  }
}

/** The answer, if it is what was asked for. */
async function fetchResponse(download: Download, options: FetchOptions): Promise<IncomingMessage> {
  const response = await get(download, options);
  const { statusCode = 0, statusMessage } = response;
  if (statusCode === 200) return response;
  const why = (await text(response)).trim();
  const message = `bad status: ${statusCode} ${statusMessage}${why && `: ${why}`}`;
  throw statusCode >= 500 ? new PassingFailure(message) : new Failure(message);
}

async function fetchOnce(output: string | undefined, download: Download, options: FetchOptions): Promise<void> {
  const response = await fetchResponse(download, options);
  const target = output === undefined ? toStandardOutput() : await toFile(output);
  const name = output === undefined ? new URL(download.url).pathname : output;
  const totalBytes = Number(response.headers['content-length']) || undefined;
  const progress = transferProgress(`Downloading ${basename(name)}`, totalBytes);
  response.on('data', (chunk: Buffer) => progress.add(chunk.length));
  try {
    if (options.decompress) await pipeline(response, createGunzip(), target);
    else await pipeline(response, target);
  } catch (error) {
    if (output !== undefined) await rm(output, { force: true });
    throw new PassingFailure(`the download was interrupted: ${reasonOf(error)}`, 'Try again.');
  } finally {
    progress.end();
  }
}

/** Disks are mostly holes, and stay so. */
async function toFile(path: string): Promise<Writable> {
  const existing = await stat(path).catch(() => undefined);
  // A pipe or a device has no holes.
  if (existing && !existing.isFile()) return createWriteStream(path);
  const file = await SparseFile.create(path, { isDurable: false }).catch((error: unknown) => {
    throw new Failure(`cannot write ${path}: ${reasonOf(error)}`);
  });
  const then = (act: Promise<void> | undefined, done: (error?: Error | null) => void): void =>
    void Promise.resolve(act).then(() => done(), done);
  return new Writable({
    highWaterMark: 1 << 20,
    write: (chunk: Buffer, _, done) => then(file.write(chunk), done),
    writev: (chunks, done) => then(file.write(Buffer.concat(chunks.map(({ chunk }) => chunk))), done),
    final: (done) => then(file.finish(0), done),
    destroy: (error, done) => then(error ? file.abandon() : undefined, () => done(error)),
  });
}

/** Standard output must stay open for what comes after. */
function toStandardOutput(): Writable {
  const through = new PassThrough();
  through.pipe(process.stdout, { end: false });
  return through;
}

function get({ url, certificate }: Download, { token, insecure, accept }: FetchOptions): Promise<IncomingMessage> {
  const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
  const headers = { 'x-kubevirt-export-token': token, ...(accept && { accept }) };
  const options = { headers, agent: false as const };
  const request = url.startsWith('https:')
    ? tlsRequest(url, { ...options, rejectUnauthorized: !insecure, ca: [...rootCertificates, certificate] }, resolve)
    : plainRequest(url, options, resolve);
  request.on('error', (error) =>
    reject(
      new PassingFailure(`cannot download from ${new URL(url).host}: ${reasonOf(error)}`, 'Is it reachable from here?'),
    ),
  );
  request.end();
  return promise;
}

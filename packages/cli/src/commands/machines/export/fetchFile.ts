import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { type IncomingMessage, request as plainRequest } from 'node:http';
import { request as tlsRequest } from 'node:https';
import { PassThrough, type Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { rootCertificates } from 'node:tls';
import { createGunzip } from 'node:zlib';
import { Failure } from '../../../failure.ts';
import { reasonOf } from '../refusal.ts';
import { progressBar } from '../upload/progressBar.ts';
import type { Download } from './source.ts';

export interface FetchOptions {
  readonly token: string;
  readonly insecure: boolean;
  readonly accept?: string;
  /** Of the answer: take it out of its gzip. */
  readonly decompress?: boolean;
}

/** Writes what is at an address to a file, or to standard output; of a file that breaks off, nothing stays. */
export async function fetchTo(output: string | undefined, download: Download, options: FetchOptions): Promise<void> {
  const response = await get(download, options);
  if (response.statusCode !== 200) {
    response.resume();
    throw new Failure(`bad status: ${response.statusCode} ${response.statusMessage}`);
  }
  const bar = progressBar(Number(response.headers['content-length'] ?? 0));
  response.on('data', (chunk: Buffer) => bar.add(chunk.length));
  const target: Writable = output === undefined ? toStandardOutput() : createWriteStream(output);
  try {
    if (options.decompress) await pipeline(response, createGunzip(), target);
    else await pipeline(response, target);
  } catch (error) {
    if (output !== undefined) await rm(output, { force: true });
    throw new Failure(`the download broke off: ${reasonOf(error)}`, 'Try again.');
  } finally {
    bar.end();
  }
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
    reject(new Failure(`cannot download from ${new URL(url).host}: ${reasonOf(error)}`, 'Is it reachable from here?')),
  );
  request.end();
  return promise;
}

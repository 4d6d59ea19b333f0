import type { IncomingMessage, ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { badRequest, pathNotFound } from '@vireo/api';
import type { NodeExport, NodeExportRequest } from '@vireo/kube';
import type { ExportedClaim } from '../volumes/export/exportedClaim.ts';
import { filesForTar, filesOf } from '../volumes/export/files.ts';
import { gzipStream } from '../volumes/export/gzip.ts';
import { type Extent, measure, piecesOf } from '../volumes/export/pieces.ts';
import { rangeOf } from '../volumes/export/range.ts';
import { tarStream } from '../volumes/export/tar.ts';
import type { NodeVolumes } from '../volumes/index.ts';

type Headers = NodeExportRequest['headers'];

/** The data of a claim in one of its forms. Throws what to tell whoever asks. */
export async function exportAnswer(
  { claim, path, headers }: Pick<NodeExportRequest, 'claim' | 'path' | 'headers'>,
  volumes: Pick<NodeVolumes, 'exportedClaim'>,
): Promise<NodeExport> {
  return exportResponse(await volumes.exportedClaim(claim), path, headers);
}

/** The same as the answer to a request; it is cut off when a guest begins to write. */
export async function sendExport(
  request: IncomingMessage,
  response: ServerResponse,
  claim: string,
  path: string,
  volumes: Pick<NodeVolumes, 'exportedClaim'>,
): Promise<void> {
  const { status, headers, body } = await exportAnswer({ claim, path, headers: request.headers }, volumes);
  response.writeHead(status, headers);
  if (request.method === 'HEAD') response.end();
  else await pipeline(body, response);
}

async function exportResponse(claim: ExportedClaim, path: string, headers: Headers): Promise<NodeExport> {
  if (path === 'disk.img') return fileAnswer(claim.disk, claim, headers);
  if (path === 'disk.img.gz') {
    const { sizeBytes } = await measure(claim.disk);
    return gzipExport(gzipStream(piecesOf(claim.disk, { start: 0, end: sizeBytes }, claim.expectUnused)));
  }
  const { directory } = claim;
  if (directory === undefined) throw badRequest('the volume is a raw disk: download it as disk.img');
  if (path === 'disk.tar.gz') return gzipExport(gzipStream(tarStream(filesForTar(directory, claim))));
  if (!path.startsWith('dir/')) throw pathNotFound();
  const files = await filesOf(directory);
  const name = path.slice('dir/'.length);
  if (name === '') return page(files.map((file) => file.name));
  const file = files.find((each) => each.name === decode(name));
  if (!file) throw pathNotFound();
  return fileAnswer(file.path, claim, headers);
}

async function fileAnswer(path: string, claim: ExportedClaim, headers: Headers): Promise<NodeExport> {
  const { sizeBytes: size, mark } = await measure(path);
  const etag = mark && `"${mark}"`;
  const isSame = headers['if-range'] === undefined || headers['if-range'] === etag;
  const range = isSame ? rangeOf(one(headers.range), size) : 'whole';
  const common = { 'content-type': 'application/octet-stream', 'accept-ranges': 'bytes', ...(etag && { etag }) };
  if (range === 'none')
    return { status: 416, headers: { ...common, 'content-range': `bytes */${size}` }, body: none() };
  const extent: Extent = range === 'whole' ? { start: 0, end: size } : range;
  const { start, end } = extent;
  return {
    status: range === 'whole' ? 200 : 206,
    headers: {
      ...common,
      'content-length': String(end - start),
      ...(range !== 'whole' && { 'content-range': `bytes ${start}-${end - 1}/${size}` }),
    },
    body: piecesOf(path, extent, claim.expectUnused),
  };
}

const one = (value: string | string[] | undefined): string | undefined =>
  typeof value === 'string' ? value : undefined;

/** How long it becomes is known at its end: nobody can go on in the middle of it. */
const gzipExport = (body: AsyncIterable<Buffer>): NodeExport => ({
  status: 200,
  headers: { 'content-type': 'application/gzip', 'accept-ranges': 'none' },
  body,
});

function page(names: readonly string[]): NodeExport {
  const lines = names.map((name) => `<a href="${encodeURIComponent(name)}">${escapeHtml(name)}</a>\n`);
  const html = Buffer.from(`<!doctype html>\n<pre>\n${lines.join('')}</pre>\n`);
  const headers = { 'content-type': 'text/html; charset=utf-8', 'content-length': String(html.length) };
  return { status: 200, headers, body: once(html) };
}

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };
const escapeHtml = (text: string): string =>
  text.replaceAll(/[&<>"]/g, (character) => ENTITIES[character] ?? character);

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw badRequest(`${JSON.stringify(text)} is not a valid path element`);
  }
}

async function* once(bytes: Buffer): AsyncGenerator<Buffer> {
  yield bytes;
}

async function* none(): AsyncGenerator<Buffer> {}

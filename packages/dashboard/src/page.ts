import { readdir, readFile } from 'node:fs/promises';
import { extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { gzip as gzipWithCallback } from 'node:zlib';
import { PAGE_HEADERS } from './pageHeaders.ts';

const gzip = promisify(gzipWithCallback);

/** Where set-up and the package have the built page. */
export const BUILT: string = fileURLToPath(new URL('../dist', import.meta.url));

const PREFIX = '/dashboard/';
const HASHED = `${PREFIX}assets/`;
const INDEX = `${PREFIX}index.html`;

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};

interface PageFile {
  readonly contentType: string;
  readonly plain: Buffer;
  readonly compressed: Buffer;
}

/** An answer to a request below `/dashboard/`. */
export interface PageAnswer {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: Buffer;
}

/** The built page in memory: what is asked for is looked up by name there, and never becomes the path of a file. */
export interface Page {
  /** `path` is without the query, as it was sent. */
  answer(method: string, path: string, acceptEncoding?: string): PageAnswer;
}

/** Reads the built page; one that answers 404 and says why if it is not there. */
export async function loadPage(directory: string = BUILT): Promise<Page> {
  const files = new Map<string, PageFile>();
  for (const name of await namesIn(directory)) {
    const contentType = CONTENT_TYPES[extname(name)];
    if (contentType === undefined) continue;
    const plain = await readFile(join(directory, name));
    files.set(PREFIX + name, { contentType, plain, compressed: await gzip(plain) });
  }
  return pageFrom(files);
}

async function namesIn(directory: string): Promise<string[]> {
  try {
    const entries = await readdir(directory, { recursive: true, withFileTypes: true });
    const from = directory.length + 1;
    return entries.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name).slice(from));
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw error;
  }
}

/** The page that consists of these files, by path. */
export function pageFrom(files: ReadonlyMap<string, PageFile>): Page {
  return {
    answer(method, path, acceptEncoding = '') {
      if (method !== 'GET' && method !== 'HEAD')
        return text(405, 'Only GET and HEAD are allowed.', { allow: 'GET, HEAD' });
      if (path === '/dashboard') return text(308, 'The dashboard is at /dashboard/.', { location: PREFIX });
      if (!files.has(INDEX)) return text(404, NOT_BUILT);
      // The page has many addresses, one for each VM; what is not a file is one of them.
      const file = files.get(path) ?? (path.startsWith(HASHED) ? undefined : files.get(INDEX));
      if (!file) return text(404, 'There is no such file. Reload the page: the dashboard may have been updated.');
      const isCompressed = /\bgzip\b/.test(acceptEncoding);
      return {
        status: 200,
        headers: {
          ...PAGE_HEADERS,
          'content-type': file.contentType,
          // The names of assets change with their contents.
          'cache-control': path.startsWith(HASHED) ? 'public, max-age=31536000, immutable' : 'no-cache',
          vary: 'accept-encoding',
          ...(isCompressed && { 'content-encoding': 'gzip' }),
        },
        body: isCompressed ? file.compressed : file.plain,
      };
    },
  };
}

const NOT_BUILT =
  'The dashboard is not built. In a clone, `npm start` tries again to build it, and says why it cannot.\n' +
  'The Kubernetes API on this port works without it.';

const text = (status: number, message: string, headers: Record<string, string> = {}): PageAnswer => ({
  status,
  headers: { ...PAGE_HEADERS, 'content-type': 'text/plain; charset=utf-8', 'cache-control': 'no-store', ...headers },
  body: Buffer.from(`${message}\n`),
});

import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ID_KEY } from '../store.ts';

/** A server of S3 that is as slow as a test wants it to be. */
export interface StallingS3 extends AsyncDisposable {
  readonly endpoint: string;
  /** What it has, by key. */
  readonly objects: Map<string, Buffer>;
  /** Objects that are on their way: each is kept, and its sender is answered, when it is let go. */
  readonly stalled: (() => void)[];
  letGo(): void;
}

/** Only what belongs to volumes stalls. */
const isOfVolume = (key: string): boolean => key.includes('/volumes/');

/**
 * Starts a server that keeps objects in memory, in the bucket `backups`. It checks no signature and takes all credentials: the
 * tests of S3 itself are those with a real server. `isSlow`: whether what belongs to volumes waits to be let go.
 */
export async function startStallingS3({ isSlow }: { readonly isSlow: () => boolean }): Promise<StallingS3> {
  const objects = new Map<string, Buffer>();
  const stalled: (() => void)[] = [];
  const keep = (key: string, body: Buffer): Promise<void> | void => {
    if (!isSlow() || !isOfVolume(key)) return void objects.set(key, body);
    return new Promise((resolve) => {
      // Whoever sent it may be dead by then.
      stalled.push(() => resolve(void objects.set(key, body)));
    });
  };
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = [];
    for await (const piece of request) pieces.push(piece as Buffer);
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://s3');
    const key = decodeURIComponent(pathname.slice('/backups/'.length));
    if (searchParams.has('list-type')) return void response.end(page([...objects.keys()], searchParams));
    if (request.method === 'PUT') await keep(key, Buffer.concat(pieces));
    if (request.method === 'DELETE') objects.delete(key);
    const body = request.method === 'GET' ? objects.get(key) : Buffer.alloc(0);
    response.writeHead(body ? 200 : 404).end(body);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  return {
    endpoint: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    objects,
    stalled,
    letGo: () => {
      for (const go of stalled.splice(0)) go();
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
    },
  };
}

function page(all: readonly string[], query: URLSearchParams): string {
  const prefix = query.get('prefix') ?? '';
  const rests = all.filter((key) => key.startsWith(prefix)).map((key) => key.slice(prefix.length));
  const isBelow = (rest: string): boolean => query.has('delimiter') && rest.includes('/');
  const below = new Set(rests.filter(isBelow).map((rest) => `${prefix}${rest.split('/')[0]}/`));
  const keys = rests.filter((rest) => !isBelow(rest)).map((rest) => `<Contents><Key>${prefix}${rest}</Key></Contents>`);
  const prefixes = [...below].map((each) => `<CommonPrefixes><Prefix>${each}</Prefix></CommonPrefixes>`);
  return `<ListBucketResult>${keys.join('')}${prefixes.join('')}</ListBucketResult>`;
}

/** The names of all backups' objects in it. */
export const storedIn = ({ objects }: StallingS3): string[] => [...objects.keys()].filter((key) => key !== ID_KEY);

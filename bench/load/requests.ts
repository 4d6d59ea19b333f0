import { Connection, type Endpoint } from './connection.ts';
import { headerBlock } from './frames.ts';
import { collectionPath, configMap, settingsPath, settingsWithin } from './object.ts';

/** How much was done in how much time. */
export interface Done {
  readonly count: number;
  readonly seconds: number;
}

export interface CreatesInput {
  readonly endpoint: Endpoint;
  /** Each on a connection of its own, with one request at a time. */
  readonly clients: number;
  readonly namespace: string;
  /** Ends after this time or after `count` objects, whichever comes first. */
  readonly seconds?: number;
  readonly count?: number;
  /** The custom resource whose objects are created, instead of ConfigMaps. */
  readonly plural?: string;
}

let lastName = 0;

/** Creates objects, each as soon as the one before is acknowledged. */
export async function creates(input: CreatesInput): Promise<Done> {
  const { clients, namespace, plural, count = Number.POSITIVE_INFINITY, seconds = Number.POSITIVE_INFINITY } = input;
  return withConnections(input.endpoint, clients, async (connections) => {
    const startedAt = performance.now();
    const deadline = startedAt + seconds * 1000;
    let begun = 0;
    let done = 0;
    await Promise.all(
      connections.map(async (connection) => {
        while (begun < count && performance.now() < deadline) {
          begun++;
          await create(connection, namespace, `bench-${++lastName}`, plural);
          done++;
        }
      }),
    );
    return { count: done, seconds: (performance.now() - startedAt) / 1000 };
  });
}

/** Resolves when the server has acknowledged the object. */
export async function create(connection: Connection, namespace: string, name: string, plural?: string): Promise<void> {
  const object = plural === undefined ? configMap(namespace, name) : settingsWithin(namespace, name, plural);
  const path = plural === undefined ? collectionPath(namespace) : settingsPath(namespace, plural);
  const body = Buffer.from(JSON.stringify(object));
  const block = headerBlock('POST', path, {
    'content-type': 'application/json',
    'content-length': String(body.length),
  });
  const status = await statusOf(connection, block, body);
  if (status !== 201) throw refusal(connection, `creating ${object.kind} ${namespace}/${name}`, status);
}

export interface PatchesInput {
  readonly endpoint: Endpoint;
  /** Each on a connection of its own, with an object of its own and one request at a time. */
  readonly clients: number;
  readonly namespace: string;
  readonly type: 'merge' | 'apply';
  readonly seconds: number;
}

const PATCH_TYPES = { merge: 'application/merge-patch+json', apply: 'application/apply-patch+yaml' };

/** Changes one value of an object again and again. */
export async function patches({ endpoint, clients, namespace, type, seconds }: PatchesInput): Promise<Done> {
  return withConnections(endpoint, clients, async (connections) => {
    const names = connections.map(() => `patched-${++lastName}`);
    const send = async (connection: Connection, name: string, value: string): Promise<void> => {
      const labels = { app: 'bench', tier: value };
      const whole = configMap(namespace, name);
      const body = Buffer.from(
        JSON.stringify(
          type === 'merge' ? { metadata: { labels } } : { ...whole, metadata: { ...whole.metadata, labels } },
        ),
      );
      const block = headerBlock('PATCH', `${collectionPath(namespace)}/${name}?fieldManager=bench`, {
        'content-type': PATCH_TYPES[type],
        'content-length': String(body.length),
      });
      const status = await statusOf(connection, block, body);
      if (status !== 200 && status !== 201)
        throw refusal(connection, `patching configmap ${namespace}/${name}`, status);
    };
    await Promise.all(
      connections.map((connection, i) =>
        type === 'merge'
          ? create(connection, namespace, names[i] as string)
          : send(connection, names[i] as string, 'x'),
      ),
    );
    const startedAt = performance.now();
    const deadline = startedAt + seconds * 1000;
    let count = 0;
    await Promise.all(
      connections.map(async (connection, i) => {
        while (performance.now() < deadline) await send(connection, names[i] as string, `v${++count}`);
      }),
    );
    return { count, seconds: (performance.now() - startedAt) / 1000 };
  });
}

export interface GetsInput {
  readonly endpoint: Endpoint;
  readonly path: string;
  readonly sessions: number;
  /** Requests under way at the same time on each session. */
  readonly streams: number;
  readonly seconds: number;
}

/** Asks for one path as fast as it is answered. */
export async function gets({ endpoint, path, sessions, streams, seconds }: GetsInput): Promise<Done> {
  const block = headerBlock('GET', path, { accept: 'application/json' });
  return withConnections(endpoint, sessions, async (connections) => {
    const startedAt = performance.now();
    const deadline = startedAt + seconds * 1000;
    let count = 0;
    const follow = (connection: Connection): Promise<void> =>
      new Promise((resolve, reject) => {
        const next = (): void => {
          connection.request(block, undefined, {
            onEnd: (status) => {
              if (status !== 200) reject(refusal(connection, `GET ${path}`, status));
              else {
                count++;
                if (performance.now() < deadline) next();
                else resolve();
              }
            },
          });
        };
        next();
      });
    await Promise.all(connections.flatMap((connection) => Array.from({ length: streams }, () => follow(connection))));
    return { count, seconds: (performance.now() - startedAt) / 1000 };
  });
}

export interface ListInput {
  readonly endpoint: Endpoint;
  readonly path: string;
  /** Objects a page; absent: all in one. */
  readonly limit?: number;
}

/** Reads a whole list, page after page. */
export async function list({
  endpoint,
  path,
  limit,
}: ListInput): Promise<{ ms: number; pages: number; bytes: number }> {
  return withConnections(endpoint, 1, async ([connection]) => {
    const startedAt = performance.now();
    let bytes = 0;
    let pages = 0;
    for (let token: string | undefined = ''; token !== undefined; pages++) {
      const page = await readPage(connection!, pagePath(path, limit, token));
      bytes += page.bytes;
      token = page.continue;
    }
    return { ms: performance.now() - startedAt, pages, bytes };
  });
}

export function pagePath(path: string, limit: number | undefined, token: string): string {
  const query = [limit === undefined ? '' : `limit=${limit}`, token && `continue=${encodeURIComponent(token)}`];
  const text = query.filter(Boolean).join('&');
  return text === '' ? path : `${path}?${text}`;
}

/** Where the token stands that leads to the next page: before the items, whoever the server is. */
export const CONTINUE = /"continue":"([^"]+)"/;

function readPage(connection: Connection, path: string): Promise<{ bytes: number; continue?: string }> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let head: Buffer | undefined;
    connection.request(headerBlock('GET', path, { accept: 'application/json' }), undefined, {
      onData: (chunk) => {
        head ??= Buffer.from(chunk.subarray(0, 512));
        bytes += chunk.length;
      },
      onEnd: (status) => {
        if (status !== 200) reject(refusal(connection, `GET ${path}`, status));
        else resolve({ bytes, continue: CONTINUE.exec(head?.toString() ?? '')?.[1] });
      },
    });
  });
}

const statusOf = (connection: Connection, block: Buffer, body?: Buffer): Promise<number> =>
  new Promise((resolve) => connection.request(block, body, { onEnd: resolve }));

export const refusal = (connection: Connection, what: string, status: number): Error =>
  new Error(`${what} was answered with status ${status}`, { cause: connection.error });

export async function openConnections(endpoint: Endpoint, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(endpoint)));
}

async function withConnections<T>(
  endpoint: Endpoint,
  count: number,
  use: (connections: Connection[]) => Promise<T>,
): Promise<T> {
  const connections = await openConnections(endpoint, count);
  try {
    return await use(connections);
  } finally {
    for (const connection of connections) connection.close();
  }
}

import { ApiError } from '@vireo/api';
import type { CredentialSource, Transport } from '@vireo/kube';
import type { WebSocket } from 'ws';
import { reasonOf } from '../vms/refusal.ts';
import { clusterTarget } from './guard.ts';
import { areRenewed } from './renewedCredentials.ts';

/** How often the page hears that all is well. */
const BEAT_MS = 15_000;
/** A page that takes longer to read than this loses its connection, and lists again. */
const MOST_BUFFERED_BYTES = 32 << 20;
const MOST_WATCHES = 64;

/** What the page sends: a watch to open under a number, or the number of one to end. */
interface Wanted {
  readonly id: number;
  readonly path?: string;
}

/**
 * Carries the watches of a page over one WebSocket. A watch that the cluster has accepted is told as `{ id, isOpen }`, its
 * events as `{ id, event }`, its end as `{ id, end }` with the reason; `{}` is a sign of life.
 */
export function carryWatches(
  socket: WebSocket,
  cluster: Pick<Transport, 'watch'>,
  credentials?: CredentialSource,
): void {
  const open = new Map<number, AbortController>();
  const send = (message: object): void => {
    if (socket.readyState !== socket.OPEN) return;
    if (socket.bufferedAmount > MOST_BUFFERED_BYTES) socket.terminate();
    else socket.send(JSON.stringify(message));
  };
  const beat = setInterval(() => send({}), BEAT_MS);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    clearInterval(beat);
    for (const watch of open.values()) watch.abort();
  });
  socket.on('message', (data) => {
    const wanted = parseWanted(String(data));
    if (!wanted) return socket.close(1008, 'not understood');
    open.get(wanted.id)?.abort();
    if (wanted.path !== undefined) void carry(wanted.id, wanted.path);
  });

  async function carry(id: number, path: string): Promise<void> {
    const stop = new AbortController();
    try {
      const request = watchRequest(path);
      if (!request) return send({ id, end: { code: 403, message: `${path} cannot be watched here` } });
      if (open.size >= MOST_WATCHES) return send({ id, end: { code: 429, message: 'too many watches' } });
      open.set(id, stop);
      const shown = (await credentials?.get()) ?? {};
      const begin = () => cluster.watch({ method: 'GET', ...request, signal: stop.signal });
      const events = await begin().catch(async (error: unknown) => {
        if (error instanceof ApiError && error.code === 401 && (await areRenewed(credentials, shown))) return begin();
        throw error;
      });
      send({ id, isOpen: true });
      for await (const event of events) send({ id, event });
      if (!stop.signal.aborted) send({ id, end: {} });
    } catch (error) {
      if (stop.signal.aborted) return;
      const code = error instanceof ApiError ? { code: error.code } : {};
      send({ id, end: { ...code, message: reasonOf(error) } });
    } finally {
      if (open.get(id) === stop) open.delete(id);
    }
  }
}

function watchRequest(target: string): { path: string; query: Record<string, string> } | undefined {
  const allowed = clusterTarget(target);
  if (allowed === undefined) return undefined;
  const [path = '', query = ''] = allowed.split(/\?(.*)/s);
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return parameters.watch === '1' ? { path, query: parameters } : undefined;
}

function parseWanted(text: string): Wanted | undefined {
  try {
    const { id, path } = JSON.parse(text) as Partial<Wanted>;
    if (!Number.isSafeInteger(id) || !(path === undefined || typeof path === 'string')) return undefined;
    return { id: id as number, ...(path !== undefined && { path }) };
  } catch {
    return undefined;
  }
}

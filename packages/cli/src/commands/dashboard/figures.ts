import { RANGES } from '@vireo/dashboard/figures/history.ts';
import { FigureService, type Wanted } from '@vireo/dashboard/figures/service.ts';
import { clusterSource } from '@vireo/dashboard/figures/source.ts';
import { type Clock, type HttpConfig, systemClock } from '@vireo/kube';
import type { WebSocket } from 'ws';
import { fetchBytes } from '../vms/http1.ts';

const BEAT_MS = 15_000;
/** A page that reads more slowly misses figures: the next ones have all that it needs. */
const MOST_BUFFERED_BYTES = 4 << 20;
const MOST_FOLLOWED = 16;

/** Figures of machines, as far as the identity of the kubeconfig may read them, kept while this process runs. */
export function figuresOf(cluster: HttpConfig, clock: Clock = systemClock): FigureService {
  const read = async (path: string): Promise<string> => (await fetchBytes(cluster, path)).toString();
  return new FigureService({ source: clusterSource({ read }, () => clock.now()), clock });
}

/**
 * Carries figures to a page. It sends `{ id, wanted }` to follow something and `{ id }` to end that; it gets
 * `{ id, told }` after every sample, and `{}` as a sign of life. Nothing is sampled that no page follows.
 */
export function carryFigures(socket: WebSocket, figures: Pick<FigureService, 'follow'>): void {
  const followed = new Map<number, () => void>();
  const send = (message: object): void => {
    if (socket.readyState === socket.OPEN && socket.bufferedAmount < MOST_BUFFERED_BYTES)
      socket.send(JSON.stringify(message));
  };
  const end = (id: number): void => {
    followed.get(id)?.();
    followed.delete(id);
  };
  const beat = setInterval(() => send({}), BEAT_MS);
  socket.on('error', () => socket.terminate());
  socket.on('close', () => {
    clearInterval(beat);
    for (const id of [...followed.keys()]) end(id);
  });
  socket.on('message', (data) => {
    const message = parseMessage(String(data));
    if (!message) return socket.close(1008, 'not understood');
    const { id, wanted } = message;
    end(id);
    if (!wanted) return;
    if (followed.size >= MOST_FOLLOWED) return socket.close(1008, 'too much at once');
    followed.set(
      id,
      figures.follow(wanted, (told) => send({ id, told })),
    );
  });
}

function parseMessage(text: string): { readonly id: number; readonly wanted?: Wanted } | undefined {
  try {
    const { id, wanted } = JSON.parse(text) as { id?: unknown; wanted?: Partial<Record<keyof Wanted, unknown>> };
    if (typeof id !== 'number' || !Number.isSafeInteger(id)) return undefined;
    if (wanted === undefined) return { id };
    const { namespace, name, range, isClose } = wanted;
    if (typeof namespace !== 'string' || !(name === undefined || typeof name === 'string')) return undefined;
    const knownRange = RANGES.find((each) => each === range);
    return { id, wanted: { namespace, name, range: knownRange, isClose: isClose === true } };
  } catch {
    return undefined;
  }
}

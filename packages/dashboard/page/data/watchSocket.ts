import type { WatchEvent } from './follow.ts';
import { Refused } from './refused.ts';

/** What `vireo dashboard` sends: the beginning, an event or the end of one of the watches, or only a sign of life. */
interface Message {
  readonly id?: number;
  readonly isOpen?: boolean;
  readonly event?: WatchEvent;
  readonly end?: { readonly code?: number; readonly message?: string };
}

interface Watch {
  readonly onOpen: () => void;
  readonly onEvent: (event: WatchEvent) => void;
  readonly resolve: () => void;
  readonly reject: (error: unknown) => void;
}

/** The other side beats every 15 s. */
const SILENCE_MS = 45_000;

/** Carries all watches of the page over one WebSocket: browsers have six connections to a server, for all tabs. */
export class WatchSocket {
  readonly #connect: () => WebSocket;
  readonly #watches = new Map<number, Watch>();
  #socket: WebSocket | undefined;
  #silence: ReturnType<typeof setTimeout> | undefined;
  #nextId = 1;

  constructor(connect: () => WebSocket) {
    this.#connect = connect;
  }

  watch(path: string, onEvent: (event: WatchEvent) => void, signal: AbortSignal, onOpen = () => {}): Promise<void> {
    if (signal.aborted) return Promise.resolve();
    const id = this.#nextId++;
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    this.#watches.set(id, { onOpen, onEvent, resolve, reject });
    this.#send({ id, path });
    const stop = (): void => {
      if (!this.#watches.delete(id)) return;
      this.#send({ id });
      resolve();
    };
    signal.addEventListener('abort', stop, { once: true });
    return promise.finally(() => signal.removeEventListener('abort', stop));
  }

  close(): void {
    this.#socket?.close();
  }

  #send(message: object): void {
    const socket = this.#open();
    const text = JSON.stringify(message);
    if (socket.readyState === WebSocket.OPEN) socket.send(text);
    else socket.addEventListener('open', () => socket.send(text), { once: true });
  }

  #open(): WebSocket {
    if (this.#socket) return this.#socket;
    const socket = this.#connect();
    this.#socket = socket;
    socket.addEventListener('message', ({ data }) => {
      this.#listen(socket);
      this.#receive(JSON.parse(String(data)) as Message);
    });
    socket.addEventListener('close', () => this.#lost(socket));
    this.#listen(socket);
    return socket;
  }

  #listen(socket: WebSocket): void {
    clearTimeout(this.#silence);
    this.#silence = setTimeout(() => {
      socket.close();
      this.#lost(socket);
    }, SILENCE_MS);
  }

  #receive({ id, isOpen, event, end }: Message): void {
    const watch = id === undefined ? undefined : this.#watches.get(id);
    if (!watch || id === undefined) return;
    try {
      if (isOpen) watch.onOpen();
      if (event) watch.onEvent(event);
      if (!end) return;
      this.#watches.delete(id);
      if (end.code !== undefined) watch.reject(new Refused(end.code, end.message ?? `HTTP ${end.code}`));
      else if (end.message !== undefined) watch.reject(new Error(end.message));
      else watch.resolve();
    } catch (error) {
      // The follower does not want to hear more, such as after an ERROR event.
      if (this.#watches.delete(id)) this.#send({ id });
      watch.reject(error);
    }
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    clearTimeout(this.#silence);
    this.#socket = undefined;
    const watches = [...this.#watches.values()];
    this.#watches.clear();
    for (const { reject } of watches) reject(new Error('The connection to `vireo dashboard` is lost. Is it running?'));
  }
}

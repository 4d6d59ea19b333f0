import type { Told, Wanted } from '../../src/figures/service.ts';
import { retryDelayMs } from '../decisions/connection.ts';

/** Where figures come from: tells after every sample until what it returns is called. */
export interface Feed {
  follow(wanted: Wanted, tell: (told: Told) => void): () => void;
}

interface Follower {
  readonly wanted: Wanted;
  readonly tell: (told: Told) => void;
}

/** Views come and go; a socket that none needs is closed after this. */
const LINGER_MS = 2_000;
const LOST = 'The connection to `vireo dashboard` is lost. Is it running?';

/** Figures that `vireo dashboard` samples, over a WebSocket that is open while somebody looks. */
export class FiguresSocket implements Feed {
  readonly #connect: () => WebSocket;
  readonly #followers = new Map<number, Follower>();
  #socket: WebSocket | undefined;
  #retry: ReturnType<typeof setTimeout> | undefined;
  #attempt = 0;
  #nextId = 1;

  constructor(connect: () => WebSocket) {
    this.#connect = connect;
  }

  follow(wanted: Wanted, tell: (told: Told) => void): () => void {
    const id = this.#nextId++;
    this.#followers.set(id, { wanted, tell });
    if (this.#socket) this.#send({ id, wanted });
    else this.#open();
    return () => {
      this.#followers.delete(id);
      this.#send({ id });
      setTimeout(() => this.#closeIfIdle(), LINGER_MS);
    };
  }

  #open(): void {
    clearTimeout(this.#retry);
    if (this.#socket || this.#followers.size === 0) return;
    const socket = this.#connect();
    this.#socket = socket;
    socket.addEventListener('open', () => {
      for (const [id, { wanted }] of this.#followers) this.#send({ id, wanted });
    });
    socket.addEventListener('message', ({ data }) => {
      this.#attempt = 0;
      const { id, told } = JSON.parse(String(data)) as { id?: number; told?: Told };
      if (id !== undefined && told) this.#followers.get(id)?.tell(told);
    });
    socket.addEventListener('close', () => this.#lost(socket));
  }

  /** What is wanted before the socket is open is sent when it opens. */
  #send(message: object): void {
    if (this.#socket?.readyState === WebSocket.OPEN) this.#socket.send(JSON.stringify(message));
  }

  #closeIfIdle(): void {
    if (this.#followers.size > 0) return;
    clearTimeout(this.#retry);
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.close();
  }

  #lost(socket: WebSocket): void {
    if (this.#socket !== socket) return;
    this.#socket = undefined;
    for (const { tell } of this.#followers.values()) tell({ kind: 'problem', reason: LOST });
    this.#retry = setTimeout(() => this.#open(), retryDelayMs(this.#attempt, Math.random()));
    this.#attempt += 1;
  }
}

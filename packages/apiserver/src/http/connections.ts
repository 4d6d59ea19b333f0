/** What of a socket tells it from others, also where HTTP/2 shows it through a proxy. */
export interface Peer {
  readonly remoteAddress?: string | undefined;
  readonly remotePort?: number | undefined;
}

/** What can be cut off. */
interface Connection extends Peer {
  destroy(): void;
}

const keyOf = ({ remoteAddress, remotePort }: Peer): string => `${remoteAddress} ${remotePort}`;

/**
 * The connections of a port, no more than so many. When there is one too many, the oldest of those goes on which nobody
 * has shown who he is: whoever is known stays, and a newcomer gets his chance, however many strangers there are.
 */
export class Connections<C extends Connection> {
  readonly most: number;
  readonly #known = new Map<string, C>();
  /** In the order in which they came. */
  readonly #strangers = new Map<string, C>();
  readonly #keys = new WeakMap<C, string>();

  constructor(most: number) {
    this.most = most;
  }

  get size(): number {
    return this.#known.size + this.#strangers.size;
  }

  add(connection: C): void {
    const key = keyOf(connection);
    this.#keys.set(connection, key);
    this.#strangers.set(key, connection);
    if (this.size <= this.most) return;
    const [first, oldest] = this.#strangers.entries().next().value!;
    this.#strangers.delete(first);
    oldest.destroy();
  }

  /** Somebody has shown who he is on this connection. */
  recognize(peer: Peer): void {
    const key = keyOf(peer);
    const connection = this.#strangers.get(key);
    if (!connection) return;
    this.#strangers.delete(key);
    this.#known.set(key, connection);
  }

  /** It is closed. By then a socket has forgotten whom it was to, so that it is looked for by itself. */
  remove(connection: C): void {
    const key = this.#keys.get(connection);
    if (key === undefined) return;
    for (const group of [this.#known, this.#strangers]) if (group.get(key) === connection) group.delete(key);
  }

  destroyAll(): void {
    for (const group of [this.#known, this.#strangers]) for (const connection of group.values()) connection.destroy();
  }
}

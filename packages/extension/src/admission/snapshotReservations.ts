import type { Client } from '@vireo/kube';

/** Room that an admitted snapshot takes, before anybody can read it from the server. */
export interface Reservation {
  /** Kind and name of the snapshot. */
  readonly id: string;
  readonly bytes: number;
  /** The VMs whose limits it counts for. */
  readonly vms: readonly string[];
  /** Milliseconds on the clock of the reservations. */
  readonly expiresAt: number;
}

/** Longer than a write takes after its admission; what was refused after all gives its room back that late. */
const LIFETIME_MS = 5000;

/**
 * Two snapshots that are asked for at once must not both find the room for one: whoever decides has a namespace to
 * itself, and what was admitted counts until it can be listed. An extension knows its own decisions only.
 */
export class SnapshotReservations {
  readonly #now: () => number;
  readonly #turns = new Map<string, Promise<unknown>>();
  readonly #held = new Map<string, readonly Reservation[]>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  /** Decides when all that came before in the namespace have decided. */
  async inTurn<T>(namespace: string, decide: () => Promise<T>): Promise<T> {
    const before = this.#turns.get(namespace) ?? Promise.resolve();
    // Whoever was refused does not keep the next from being asked.
    const turn = before.then(decide, decide);
    this.#turns.set(namespace, turn);
    try {
      return await turn;
    } finally {
      if (this.#turns.get(namespace) === turn) this.#turns.delete(namespace);
    }
  }

  /** What is reserved in the namespace; that of snapshots which are stored by now is given up. */
  heldIn(namespace: string, isStored: (id: string) => boolean): readonly Reservation[] {
    const now = this.#now();
    const held = (this.#held.get(namespace) ?? []).filter(({ id, expiresAt }) => now < expiresAt && !isStored(id));
    if (held.length > 0) this.#held.set(namespace, held);
    else this.#held.delete(namespace);
    return held;
  }

  hold(namespace: string, reservation: Omit<Reservation, 'expiresAt'>): void {
    const expiresAt = this.#now() + LIFETIME_MS;
    this.#held.set(namespace, [...(this.#held.get(namespace) ?? []), { ...reservation, expiresAt }]);
  }
}

const byClient = new WeakMap<Client, SnapshotReservations>();

/** Those of the extension whose client it is. */
export function reservationsOf(client: Client): SnapshotReservations {
  const known = byClient.get(client) ?? new SnapshotReservations();
  byClient.set(client, known);
  return known;
}

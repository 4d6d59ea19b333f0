import type { Exchange } from './exchange.ts';

/** Answers an exchange by itself, from reading its credentials to the last byte. */
export type DirectHandler = (exchange: Exchange) => void;

/**
 * Paths on the server's port that are no part of the API: neither its users nor its limits on bodies apply, and whoever
 * adds one sees to both.
 */
export class DirectRoutes {
  readonly #handlers = new Map<string, DirectHandler>();

  /** `path` as a whole, without a query. */
  add(path: string, handler: DirectHandler): void {
    this.#handlers.set(path, handler);
  }

  find(target: string): DirectHandler | undefined {
    if (this.#handlers.size === 0) return undefined;
    const mark = target.indexOf('?');
    return this.#handlers.get(mark < 0 ? target : target.slice(0, mark));
  }
}

import type { Exchange } from '@vireo/kube';

/** Answers an exchange by itself, from reading its credentials to the last byte. */
export type DirectHandler = (exchange: Exchange) => void;

/**
 * Paths on the server's port that are no part of the API: neither its users nor its limits on bodies apply, and whoever
 * adds one sees to both.
 */
export class DirectRoutes {
  readonly #handlers = new Map<string, DirectHandler>();
  readonly #below: { readonly prefix: string; readonly handler: DirectHandler }[] = [];

  /** `path` as a whole, without a query. */
  add(path: string, handler: DirectHandler): void {
    this.#handlers.set(path, handler);
  }

  /** Every path that begins so. */
  addBelow(prefix: string, handler: DirectHandler): void {
    this.#below.push({ prefix, handler });
  }

  find(target: string): DirectHandler | undefined {
    if (this.#handlers.size === 0 && this.#below.length === 0) return undefined;
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    return this.#handlers.get(path) ?? this.#below.find(({ prefix }) => path.startsWith(prefix))?.handler;
  }
}

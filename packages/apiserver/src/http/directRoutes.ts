import type { Exchange } from '@vireo/kube';

/** Answers an exchange by itself, from reading its credentials to the last byte. */
export type DirectHandler = (exchange: Exchange) => void;

/** By which routes are told apart. */
type Asked = Pick<Exchange, 'method' | 'target' | 'headers'>;

/**
 * Paths on the server's port that are no part of the API: neither its users nor its limits on bodies apply, and whoever
 * adds one sees to both.
 */
export class DirectRoutes {
  readonly #routes = new Map<string, { readonly handler: DirectHandler; readonly isFor: (asked: Asked) => boolean }>();
  readonly #below: { readonly prefix: string; readonly handler: DirectHandler }[] = [];

  /** `path` as a whole, without a query. What `isFor` does not hold for is left to the API. */
  add(path: string, handler: DirectHandler, isFor: (asked: Asked) => boolean = () => true): void {
    this.#routes.set(path, { handler, isFor });
  }

  /** Every path that begins so. */
  addBelow(prefix: string, handler: DirectHandler): void {
    this.#below.push({ prefix, handler });
  }

  find(asked: Asked): DirectHandler | undefined {
    if (this.#routes.size === 0 && this.#below.length === 0) return undefined;
    const { target } = asked;
    const mark = target.indexOf('?');
    const path = mark < 0 ? target : target.slice(0, mark);
    const route = this.#routes.get(path);
    if (route?.isFor(asked)) return route.handler;
    return this.#below.find(({ prefix }) => path.startsWith(prefix))?.handler;
  }
}

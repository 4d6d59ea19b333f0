import type { MessagePort, Worker } from 'node:worker_threads';
import { ApiError } from '@vireo/api/errors.ts';

type Message =
  | { readonly kind: 'call'; readonly id: number; readonly name: string; readonly args: readonly unknown[] }
  | { readonly kind: 'result'; readonly id: number; readonly value: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: unknown; readonly status?: ApiError['status'] };

/** What another thread may call. Arguments and results are copied. */
// biome-ignore lint/suspicious/noExplicitAny: each function has its own parameters.
export type Functions = Readonly<Record<string, (...args: any[]) => unknown>>;

/** An error without what it was caused by, which may be of any kind: not everything can be copied. */
export function copyable(error: unknown): Error {
  const { message, stack } = error instanceof Error ? error : new Error(String(error));
  return Object.assign(new Error(message), stack !== undefined && { stack });
}

/** Calls between two threads, both ways. An `ApiError` arrives as one. */
export class ThreadCalls {
  readonly #port: MessagePort | Worker;
  readonly #functions: Functions;
  readonly #waiting = new Map<number, PromiseWithResolvers<unknown>>();
  #lastId = 0;
  #ended: Error | undefined;

  /** `functions`: what the other thread may call in this one. */
  constructor(port: MessagePort | Worker, functions: Functions) {
    this.#port = port;
    this.#functions = functions;
    port.on('message', (message: Message) => this.#receive(message));
  }

  async call<T>(name: string, ...args: readonly unknown[]): Promise<T> {
    if (this.#ended) throw this.#ended;
    const id = ++this.#lastId;
    const waiting = Promise.withResolvers<unknown>();
    this.#waiting.set(id, waiting);
    this.#post({ kind: 'call', id, name, args });
    return (await waiting.promise) as T;
  }

  /** The other thread is gone: nothing is answered any more. */
  end(why: Error): void {
    this.#ended ??= why;
    for (const { reject } of this.#waiting.values()) reject(why);
    this.#waiting.clear();
  }

  #receive(message: Message): void {
    if (message.kind === 'call') return void this.#answer(message);
    const waiting = this.#waiting.get(message.id);
    this.#waiting.delete(message.id);
    if (message.kind === 'result') waiting?.resolve(message.value);
    else waiting?.reject(message.status ? ApiError.from(message.status.code, message.status) : message.error);
  }

  async #answer({ id, name, args }: Extract<Message, { kind: 'call' }>): Promise<void> {
    try {
      this.#post({ kind: 'result', id, value: await this.#functions[name]?.(...args) });
    } catch (error) {
      if (error instanceof ApiError) this.#post({ kind: 'error', id, error: undefined, status: error.status });
      else this.#post({ kind: 'error', id, error: copyable(error) });
    }
  }

  #post(message: Message): void {
    if (!this.#ended) this.#port.postMessage(message);
  }
}

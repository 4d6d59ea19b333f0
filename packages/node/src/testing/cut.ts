import type { Transport, WatchEvent } from '@vireo/kube';

/** A connection to the server that can be cut: then nothing is answered, and watches break. */
export class Cut {
  #cutting = Promise.withResolvers<never>();
  #isCut = false;

  constructor() {
    this.#cutting.promise.catch(() => {});
  }

  cut(): void {
    this.#isCut = true;
    this.#cutting.reject(new Error('the server does not answer'));
  }

  mend(): void {
    this.#isCut = false;
    this.#cutting = Promise.withResolvers<never>();
    this.#cutting.promise.catch(() => {});
  }

  through(transport: Transport): Transport {
    const unlessCut = <T>(work: () => Promise<T>): Promise<T> =>
      this.#isCut ? this.#cutting.promise : Promise.race([work(), this.#cutting.promise]);
    return {
      call: (request) => unlessCut(() => transport.call(request)),
      watch: async (request) => breaking(await unlessCut(() => transport.watch(request)), this.#cutting.promise),
      close: () => transport.close(),
    };
  }
}

async function* breaking(events: AsyncIterable<WatchEvent>, cut: Promise<never>): AsyncIterable<WatchEvent> {
  const iterator = events[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await Promise.race([iterator.next(), cut]);
      if (next.done) return;
      yield next.value;
    }
  } finally {
    void iterator.return?.();
  }
}

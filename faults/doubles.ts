import { setInterval } from 'node:timers/promises';
import { guestsOf } from '../e2e/vms/leftovers.ts';

const POLL_MS = 250;

/** Watches for two guests of one VM: they would write to the same disks. */
export class Doubles {
  readonly #stopping = new AbortController();
  readonly #found = new Set<string>();
  readonly #home: string;
  #running: Promise<void> = Promise.resolve();

  constructor(home: string) {
    this.#home = home;
  }

  start(): void {
    this.#running = this.#run().catch((error: unknown) => {
      if ((error as Error).name !== 'AbortError') throw error;
    });
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#running;
  }

  problems(): string[] {
    const found = [...this.#found].map((name) => `${name} had two guests at once`);
    this.#found.clear();
    return found;
  }

  async #run(): Promise<void> {
    let before = new Set<string>();
    for await (const _ of setInterval(POLL_MS, undefined, { signal: this.#stopping.signal })) {
      const now = duplicatesIn((await guestsOf(this.#home)).map(({ command }) => nameOf(command)));
      // One that is just ending may be seen beside its successor, once.
      for (const name of now) if (before.has(name)) this.#found.add(name);
      before = now;
    }
  }
}

/** `guest=storm_vm-1,debug-threads=on` follows `-name`. */
const nameOf = (command: readonly string[]): string =>
  /guest=([^,]+)/.exec(command[command.indexOf('-name') + 1] ?? '')?.[1] ?? '';

const duplicatesIn = (names: readonly string[]): Set<string> =>
  new Set(names.filter((name, index) => name !== '' && names.indexOf(name) !== index));

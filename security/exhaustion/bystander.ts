import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import type { Ground } from '../ground.ts';

const PAUSE_MS = 100;

/** Somebody else who uses the server all the while, and what he noticed. */
export class Bystander {
  readonly #ground: Ground;
  #isWatching = true;
  #slowestMs = 0;
  #refused = 0;
  #asked = 0;
  #mostBytes = 0;
  readonly #watching: Promise<void>;

  constructor(ground: Ground) {
    this.#ground = ground;
    this.#watching = this.#watch();
  }

  async #watch(): Promise<void> {
    // A user of his own, over a connection of his own.
    const wire = this.#ground.wire(this.#ground.certificateOf('bystander', ['system:masters']));
    while (this.#isWatching) {
      const startedAt = performance.now();
      const isServed = await wire.send({ method: 'GET', path: '/api/v1/namespaces/default' }).then(
        ({ status }) => status === 200,
        () => false,
      );
      this.#asked++;
      if (!isServed) this.#refused++;
      this.#slowestMs = Math.max(this.#slowestMs, performance.now() - startedAt);
      this.#mostBytes = Math.max(this.#mostBytes, await memoryOf(this.#ground.pid));
      await delay(PAUSE_MS);
    }
    wire.close();
  }

  /** What is wrong with how he was served since he was last asked. */
  problem(during: string, most: { readonly waitMs: number; readonly memoryBytes: number }): (string | undefined)[] {
    const [slowestMs, refused, asked, mostBytes] = [this.#slowestMs, this.#refused, this.#asked, this.#mostBytes];
    [this.#slowestMs, this.#refused, this.#asked, this.#mostBytes] = [0, 0, 0, 0];
    return [
      asked === 0 ? `${during}: the other client got no answer at all` : undefined,
      refused > 0 ? `${during}: the other client was not served ${refused} times of ${asked}` : undefined,
      slowestMs > most.waitMs ? `${during}: the other client waited for ${Math.round(slowestMs)} ms` : undefined,
      mostBytes > most.memoryBytes ? `${during}: the server took ${mostBytes >> 20} MiB of memory` : undefined,
    ];
  }

  async leave(): Promise<void> {
    this.#isWatching = false;
    await this.#watching;
  }
}

/** Bytes of memory that a process has (RSS). */
export async function memoryOf(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Load, startLoad } from './load.ts';
import type { MeasuredServer, ServerKind } from './servers/server.ts';

/** How much is measured: enough for figures to trust, or for a first look, or to see that it runs at all. */
export interface Plan {
  readonly rounds: number;
  /** How long one round of a rate lasts. */
  readonly secondsEach: number;
  readonly listedObjects: number;
  readonly pageSize: number;
  /** Objects in the store for start-up and memory. */
  readonly storedObjects: number;
  readonly startRounds: number;
  readonly manyWatchers: number;
  readonly latencyWrites: number;
  readonly burstWrites: number;
}

const SIZES = { listedObjects: 5_000, pageSize: 500, storedObjects: 10_000, manyWatchers: 1_000 };

export const FULL: Plan = {
  ...SIZES,
  rounds: 5,
  secondsEach: 1.5,
  startRounds: 5,
  latencyWrites: 40,
  burstWrites: 60,
};

export const QUICK: Plan = {
  ...SIZES,
  rounds: 2,
  secondsEach: 0.4,
  startRounds: 1,
  latencyWrites: 10,
  burstWrites: 15,
};

/** One measurement at work: its plan, whom it measures, and what is to be cleaned up when it ends. */
export class Bench implements AsyncDisposable {
  readonly plan: Plan;
  readonly ours: ServerKind;
  /** The original beside ours, where it is there. */
  readonly rival: ServerKind | undefined;
  readonly #cleanup = new AsyncDisposableStack();

  constructor(plan: Plan, ours: ServerKind, rival?: ServerKind) {
    this.plan = plan;
    this.ours = ours;
    this.rival = rival;
  }

  /** A directory that goes away with the measurement. */
  async directory(): Promise<string> {
    const directory = await mkdtemp(join(tmpdir(), 'vireo-bench-'));
    this.#cleanup.defer(() => rm(directory, { recursive: true, force: true }));
    return directory;
  }

  /** Starts a server; it may be stopped before the measurement ends. */
  async start(kind: ServerKind, directory?: string): Promise<MeasuredServer> {
    const server = await kind.start(directory ?? (await this.directory()));
    this.#cleanup.defer(() => server.stop());
    return server;
  }

  startLoad(): Load {
    return this.track(startLoad());
  }

  /** Closes a process when the measurement ends. */
  track<T extends { close(): Promise<void> }>(process: T): T {
    this.#cleanup.defer(() => process.close());
    return process;
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.#cleanup.disposeAsync();
  }
}

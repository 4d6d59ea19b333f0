import { rm } from 'node:fs/promises';
import { type Load, startLoad } from '../load.ts';
import type { MeasuredServer, ServerKind } from '../servers/server.ts';
import { temporaryDirectory } from '../temporaryDirectory.ts';
import type { FilledHomes } from './filledHomes.ts';
import type { Plan } from './plan.ts';

/** One measurement at work: its plan, whom it measures, and what is to be cleaned up when it ends. */
export class Bench implements AsyncDisposable {
  readonly plan: Plan;
  readonly ours: ServerKind;
  /** The original beside ours, where it is there. */
  readonly rival: ServerKind | undefined;
  readonly filledHomes: FilledHomes;
  readonly #cleanup = new AsyncDisposableStack();

  constructor(plan: Plan, filledHomes: FilledHomes, ours: ServerKind, rival?: ServerKind) {
    this.plan = plan;
    this.filledHomes = filledHomes;
    this.ours = ours;
    this.rival = rival;
  }

  /** A directory that goes away with the measurement. */
  async directory(): Promise<string> {
    const directory = await temporaryDirectory();
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

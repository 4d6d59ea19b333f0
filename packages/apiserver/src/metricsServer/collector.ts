import { type Clock, type Log, pause, systemClock } from '@vireo/kube';
import { type NodeSample, parseNodeSample } from './nodeSample.ts';
import { UsageTable } from './usage.ts';

/** What a node serves at `/metrics/resource`. */
export type ReadNode = (signal: AbortSignal) => Promise<string>;

/** What a collector measures, and how often. */
export interface CollectorOptions {
  /** Every node that can be asked, by its name. */
  readonly nodes: () => Iterable<readonly [name: string, read: ReadNode]>;
  readonly log: Log;
  /** How old an answer may be. */
  readonly resolutionMs?: number;
  readonly clock?: Clock;
}

/** As metrics-server's manifests have it. */
const METRIC_RESOLUTION_MS = 15_000;
/** Where there is nothing to compare with, a second sample follows the first so soon. */
const FIRST_WINDOW_MS = 1_000;
/** What was used minutes ago says nothing about now: samples are not compared over more than so many resolutions. */
const MAX_WINDOW = 4;
const TIMEOUT_MS = 10_000;
/** Nodes that are asked at a time. */
const BATCH_SIZE = 32;

interface Round {
  readonly atMs: number;
  readonly samples: ReadonlyMap<string, NodeSample>;
}

/**
 * Samples nodes when somebody asks, at most once per resolution, and compares each sample with the one before. While
 * nobody asks, it does nothing.
 */
export class Collector {
  readonly #options: CollectorOptions;
  readonly #clock: Clock;
  readonly #resolutionMs: number;
  #last: Round | undefined;
  #table: UsageTable | undefined;
  #refreshing: Promise<UsageTable> | undefined;

  constructor(options: CollectorOptions) {
    this.#options = options;
    this.#clock = options.clock ?? systemClock;
    this.#resolutionMs = options.resolutionMs ?? METRIC_RESOLUTION_MS;
  }

  /** What is in use now. */
  read(): Promise<UsageTable> {
    const ageMs = this.#clock.now() - (this.#last?.atMs ?? Number.NEGATIVE_INFINITY);
    if (this.#table && ageMs < this.#resolutionMs) return Promise.resolve(this.#table);
    this.#refreshing ??= this.#refresh().finally(() => {
      this.#refreshing = undefined;
    });
    return this.#refreshing;
  }

  async #refresh(): Promise<UsageTable> {
    const before = await this.#comparable();
    const after = await this.#sample();
    this.#last = after;
    this.#table = new UsageTable(before.samples, after.samples);
    return this.#table;
  }

  async #comparable(): Promise<Round> {
    const last = this.#last;
    if (last && this.#clock.now() - last.atMs <= MAX_WINDOW * this.#resolutionMs) return last;
    const first = await this.#sample();
    await pause(Math.min(FIRST_WINDOW_MS, this.#resolutionMs), new AbortController().signal, this.#clock);
    return first;
  }

  async #sample(): Promise<Round> {
    const atMs = this.#clock.now();
    const samples = new Map<string, NodeSample>();
    const nodes = [...this.#options.nodes()];
    for (let first = 0; first < nodes.length; first += BATCH_SIZE)
      await Promise.all(
        nodes.slice(first, first + BATCH_SIZE).map(async ([name, read]) => {
          const sample = await this.#sampleNode(name, read);
          if (sample) samples.set(name, sample);
        }),
      );
    return { atMs, samples };
  }

  async #sampleNode(name: string, read: ReadNode): Promise<NodeSample | undefined> {
    try {
      return parseNodeSample(await read(AbortSignal.timeout(TIMEOUT_MS)), this.#clock.now());
    } catch (error) {
      // The other nodes are measured all the same.
      this.#options.log.warn('cannot read the resource metrics of the node', { kind: 'Node', name }, { error });
      return undefined;
    }
  }
}

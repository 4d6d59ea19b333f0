import type { Figures, Origin } from './fields.ts';
import { History, type Range, type Usage } from './history.ts';
import type { FigureSource, Reading, Scope } from './source.ts';
import type { Columns } from './tier.ts';

/** What a view wants: usage of all machines of a scope, or the charts of one of them. */
export interface Wanted extends Scope {
  /** For one machine: how far back. */
  readonly range?: Range;
  /** Whether somebody looks closely, so that it is sampled more often. */
  readonly isClose?: boolean;
}

/** What a view is told, after every sample. */
export type Told =
  | { readonly kind: 'problem'; readonly reason: string }
  | { readonly kind: 'list'; readonly origin: Origin; readonly machines: readonly Usage[] }
  | {
      readonly kind: 'machine';
      readonly origin: Origin;
      readonly nowMs: number;
      /** Whether the newest sample had the machine in it. */
      readonly isMeasured: boolean;
      readonly figures: Figures;
      readonly columns: Columns;
      readonly restartsMs: readonly number[];
    };

export interface ServiceClock {
  now(): number;
  after(ms: number, run: () => void): () => void;
}

export interface ServiceOptions {
  readonly source: FigureSource;
  readonly clock: ServiceClock;
  /** Whether lists are read without what only charts show: a browser has no room for all of thousands. */
  readonly isFrugal?: boolean;
}

const EVERY_MS = 15_000;
const CLOSE_EVERY_MS = 5_000;
/** A rate takes two samples, and the second should not be waited for. */
const SECOND_SAMPLE_MS = 3_000;
const MOST_MACHINES_IN_FULL = 2_000;

interface Follower {
  readonly wanted: Wanted;
  readonly tell: (told: Told) => void;
}

/** One scope that is sampled while somebody follows it. */
interface Round {
  readonly scope: Scope;
  readonly followers: Set<Follower>;
  readonly stop: AbortController;
  cancel: () => void;
  reading: Reading | undefined;
  sampledAtMs: number;
  /** Whether the next sample only completes the first. */
  isSecond: boolean;
  isSampling: boolean;
}

/** Samples what is looked at, and nothing else, and remembers it for whoever looks next. */
export class FigureService {
  readonly #options: ServiceOptions;
  readonly #history = new History();
  readonly #rounds = new Map<string, Round>();

  constructor(options: ServiceOptions) {
    this.#options = options;
  }

  /** Tells of figures until what it returns is called. */
  follow(wanted: Wanted, tell: (told: Told) => void): () => void {
    const round = this.#roundOf(wanted);
    const follower = { wanted, tell };
    round.followers.add(follower);
    if (round.reading) tell(this.#toldFor(wanted, round.reading));
    this.#schedule(round);
    return () => {
      round.followers.delete(follower);
      if (round.followers.size === 0) this.#end(round);
    };
  }

  close(): void {
    for (const round of [...this.#rounds.values()]) this.#end(round);
  }

  #roundOf({ namespace, name }: Wanted): Round {
    const key = `${namespace}/${name ?? ''}`;
    const known = this.#rounds.get(key);
    if (known) return known;
    const scope = { namespace, ...(name !== undefined && { name }) };
    const round: Round = {
      scope,
      followers: new Set(),
      stop: new AbortController(),
      cancel: () => {},
      reading: undefined,
      sampledAtMs: Number.NEGATIVE_INFINITY,
      isSecond: false,
      isSampling: false,
    };
    this.#rounds.set(key, round);
    return round;
  }

  #end(round: Round): void {
    round.cancel();
    round.stop.abort();
    const key = `${round.scope.namespace}/${round.scope.name ?? ''}`;
    if (this.#rounds.get(key) === round) this.#rounds.delete(key);
  }

  async #sample(round: Round): Promise<void> {
    const { source, clock } = this.#options;
    const { scope, stop } = round;
    round.isSampling = true;
    round.sampledAtMs = clock.now();
    round.isSecond = round.reading === undefined;
    let problem: string | undefined;
    try {
      const reading = await source.read(scope, this.#isList(round), stop.signal);
      this.#history.record(reading.samples);
      round.reading = reading;
    } catch (error) {
      round.reading = undefined;
      problem = error instanceof Error ? error.message : String(error);
    }
    round.isSampling = false;
    if (stop.signal.aborted) return;
    this.#history.forget(clock.now());
    const { reading } = round;
    for (const { wanted, tell } of [...round.followers])
      tell(reading ? this.#toldFor(wanted, reading) : { kind: 'problem', reason: problem ?? '' });
    if (!stop.signal.aborted) this.#schedule(round);
  }

  #schedule(round: Round): void {
    if (round.isSampling) return;
    const { clock } = this.#options;
    round.cancel();
    const dueMs = round.sampledAtMs + pauseMs(round) - clock.now();
    if (dueMs <= 0) void this.#sample(round);
    else round.cancel = clock.after(dueMs, () => void this.#sample(round));
  }

  #isList({ scope, reading }: Round): boolean {
    const { isFrugal = false } = this.#options;
    return scope.name === undefined && (isFrugal || (reading?.samples.size ?? 0) > MOST_MACHINES_IN_FULL);
  }

  #toldFor({ namespace, name, range = 'hour' }: Wanted, { origin, samples }: Reading): Told {
    const nowMs = this.#options.clock.now();
    if (name === undefined)
      return { kind: 'list', origin, machines: [...samples.keys()].map((key) => this.#history.usage(key, nowMs)) };
    const key = `${namespace}/${name}`;
    const isMeasured = samples.has(key);
    return {
      kind: 'machine',
      origin: samples.get(key)?.origin ?? origin,
      nowMs,
      isMeasured,
      figures: isMeasured ? this.#history.usage(key, nowMs).figures : {},
      columns: this.#history.columns(key, range, nowMs),
      restartsMs: this.#history.restartsMs(key, range, nowMs),
    };
  }
}

/** Launcher pods are measured every 15 s at most, so that looking closer shows nothing more. */
function pauseMs({ scope: { namespace, name }, followers, reading, isSecond }: Round): number {
  const isGuests = (reading?.samples.get(`${namespace}/${name}`)?.origin ?? reading?.origin) === 'guests';
  if (isSecond && isGuests) return SECOND_SAMPLE_MS;
  const isClose = [...followers].some(({ wanted }) => wanted.isClose);
  return isClose && isGuests ? CLOSE_EVERY_MS : EVERY_MS;
}

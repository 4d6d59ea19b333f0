import { FIELDS, type Field, type Figures } from './fields.ts';

/** Columns of points, oldest first. `null` is a gap: what was not known, or not looked at. */
export interface Columns {
  readonly timesMs: readonly number[];
  readonly values: Readonly<Partial<Record<Field, readonly (number | null)[]>>>;
}

export interface TierOptions {
  /** Samples within the same span become one point, their mean. */
  readonly spanMs: number;
  /** How far it reaches back. */
  readonly keepMs: number;
  /** Points that are further apart are not joined. */
  readonly gapMs: number;
  readonly capacity: number;
}

/** A ring of points at one resolution. A field takes room from its first value on. */
export class Tier {
  readonly #options: TierOptions;
  readonly #times: Float64Array;
  readonly #fields = new Map<Field, Float32Array>();
  /** How many samples the newest point is the mean of, by field. */
  readonly #merged = new Map<Field, number>();
  #size = 0;
  #newest = -1;

  constructor(options: TierOptions) {
    this.#options = options;
    this.#times = new Float64Array(options.capacity);
  }

  add(atMs: number, figures: Figures): void {
    const { spanMs, capacity } = this.#options;
    const last = this.#newest < 0 ? Number.NaN : (this.#times[this.#newest] ?? Number.NaN);
    if (Math.floor(last / spanMs) !== Math.floor(atMs / spanMs)) {
      this.#newest = (this.#newest + 1) % capacity;
      this.#size = Math.min(this.#size + 1, capacity);
      this.#merged.clear();
      for (const values of this.#fields.values()) values[this.#newest] = Number.NaN;
    }
    this.#times[this.#newest] = atMs;
    for (const field of FIELDS) {
      const value = figures[field];
      if (value !== undefined) this.#merge(field, value);
    }
  }

  /** What is kept of the time up to now. */
  columns(nowMs: number, fields: readonly Field[] = FIELDS): Columns {
    const { keepMs, gapMs, capacity } = this.#options;
    const timesMs: number[] = [];
    const known = fields.filter((field) => this.#fields.has(field));
    const values: Partial<Record<Field, (number | null)[]>> = Object.fromEntries(known.map((field) => [field, []]));
    for (let step = this.#size - 1; step >= 0; step -= 1) {
      const index = (this.#newest - step + capacity) % capacity;
      const atMs = this.#times[index] ?? 0;
      if (atMs < nowMs - keepMs) continue;
      const before = timesMs.at(-1);
      if (before !== undefined && atMs - before > gapMs) {
        timesMs.push(before + 1);
        for (const field of known) values[field]?.push(null);
      }
      timesMs.push(atMs);
      for (const field of known) values[field]?.push(rounded(this.#fields.get(field)?.[index]));
    }
    return { timesMs, values };
  }

  #merge(field: Field, value: number): void {
    let values = this.#fields.get(field);
    if (!values) {
      values = new Float32Array(this.#options.capacity).fill(Number.NaN);
      this.#fields.set(field, values);
    }
    const count = this.#merged.get(field) ?? 0;
    const mean = count === 0 ? 0 : (values[this.#newest] ?? 0);
    values[this.#newest] = mean + (value - mean) / (count + 1);
    this.#merged.set(field, count + 1);
  }
}

/** Cores need their thousandths; of bytes nobody sees a fraction. */
function rounded(value: number | undefined): number | null {
  if (value === undefined || Number.isNaN(value)) return null;
  return value >= 1_000 ? Math.round(value) : Math.round(value * 1_000) / 1_000;
}

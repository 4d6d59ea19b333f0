/** Sizes and costs that lie between two bounds. Beyond what 64 bits can hold they stay at the largest number. */
export interface Range {
  readonly min: number;
  readonly max: number;
}

const LARGEST = 2 ** 64;

const cap = (value: number): number => Math.min(value, LARGEST);

export const exactly = (value: number): Range => ({ min: value, max: value });
export const upTo = (max: number): Range => ({ min: 0, max });
export const UNKNOWN: Range = upTo(LARGEST);
export const NOTHING = exactly(0);
export const ONE = exactly(1);

export const plus = (...ranges: readonly Range[]): Range =>
  ranges.reduce((a, b) => ({ min: cap(a.min + b.min), max: cap(a.max + b.max) }));

export const times = (a: Range, b: Range): Range => ({ min: cap(a.min * b.min), max: cap(a.max * b.max) });

/** Multiplied by a factor and rounded up. */
export const scaled = ({ min, max }: Range, factor: number): Range => ({
  min: cap(Math.ceil(min * factor)),
  max: cap(Math.ceil(max * factor)),
});

/** What contains both. */
export const union = (a: Range, b: Range): Range => ({ min: Math.min(a.min, b.min), max: Math.max(a.max, b.max) });

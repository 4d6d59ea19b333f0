/**
 * Exact arithmetic on Kubernetes quantities (`500m`, `2`, `1Gi`, `1e3`). A quantity is a whole number of nano-units and
 * remembers how it was written, so that a sum of `Gi` prints as `Gi`.
 */
export interface Quantity {
  readonly nanos: bigint;
  readonly format: 'DecimalSI' | 'BinarySI' | 'DecimalExponent';
}

const NANO = 1_000_000_000n;
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const BINARY: Readonly<Record<string, bigint>> = {
  Ki: 1n << 10n,
  Mi: 1n << 20n,
  Gi: 1n << 30n,
  Ti: 1n << 40n,
  Pi: 1n << 50n,
  Ei: 1n << 60n,
};
const PATTERN = /^([+-]?)(\d+\.?\d*|\.\d+)(?:([KMGTPE]i)|([eE][+-]?\d+)|([numkMGTPE]?))$/;

export const ZERO: Quantity = { nanos: 0n, format: 'DecimalSI' };

/** Reads a quantity; throws on text that is none. Finer than nano rounds up, as in Kubernetes. */
export function parseQuantity(text: string | number): Quantity {
  const match = PATTERN.exec(String(text));
  if (!match)
    throw new Error(`quantity ${JSON.stringify(text)} must be a number with an optional suffix such as m, k or Gi`);
  const [, sign, digits = '', binary, exponent, suffix = ''] = match;
  const [whole = '', fraction = ''] = digits.split('.');
  const mantissa = BigInt(`${whole}${fraction}` || '0');
  let nanos: bigint;
  if (binary) nanos = ceilDivide(mantissa * (BINARY[binary] ?? 1n) * NANO, 10n ** BigInt(fraction.length));
  else {
    const power = (exponent ? Number(exponent.slice(1)) : (DECIMAL[suffix] ?? 0)) + 9 - fraction.length;
    nanos = power >= 0 ? mantissa * 10n ** BigInt(Math.min(power, 60)) : ceilDivide(mantissa, 10n ** BigInt(-power));
  }
  return {
    nanos: sign === '-' ? -nanos : nanos,
    format: binary ? 'BinarySI' : exponent ? 'DecimalExponent' : 'DecimalSI',
  };
}

const ceilDivide = (value: bigint, by: bigint): bigint => (value + by - 1n) / by;

export const addQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos + b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
});

export const subtractQuantities = (a: Quantity, b: Quantity): Quantity => ({
  nanos: a.nanos - b.nanos,
  format: a.nanos === 0n ? b.format : a.format,
});

export const maxQuantity = (a: Quantity, b: Quantity): Quantity => (b.nanos > a.nanos ? b : a);

export const countQuantity = (count: number | bigint): Quantity => ({
  nanos: BigInt(count) * NANO,
  format: 'DecimalSI',
});

/** Whole units, rounded up: bytes, devices. */
export const quantityUnits = (quantity: Quantity): number => Number(ceilSigned(quantity.nanos, NANO));

/** Thousandths, rounded up: CPU. */
export const quantityMillis = (quantity: Quantity): number => Number(ceilSigned(quantity.nanos, 1_000_000n));

const ceilSigned = (value: bigint, by: bigint): bigint => (value >= 0n ? ceilDivide(value, by) : value / by);

/** The canonical form: the largest suffix that leaves a whole number. */
export function formatQuantity({ nanos, format }: Quantity): string {
  if (nanos === 0n) return '0';
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  if (format === 'BinarySI' && size >= 1024n * NANO && size % NANO === 0n) return sign + binaryForm(size / NANO);
  let value = size;
  let power = -9;
  while (value % 1000n === 0n && power < 18) {
    value /= 1000n;
    power += 3;
  }
  if (format === 'DecimalExponent') return power === 0 ? `${sign}${value}` : `${sign}${value}e${power}`;
  const suffix = Object.keys(DECIMAL).find((name) => DECIMAL[name] === power) ?? '';
  return `${sign}${value}${suffix}`;
}

function binaryForm(units: bigint): string {
  const suffix = Object.entries(BINARY).findLast(([, size]) => units % size === 0n);
  return suffix ? `${units / suffix[1]}${suffix[0]}` : `${units}`;
}

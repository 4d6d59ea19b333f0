/**
 * Kubernetes quantities, exactly: whole nano-units in a BigInt. The form in which one was written (`1Gi`, `1e3`, `1k`)
 * is kept, for it decides the canonical form.
 */
export interface Quantity {
  /** The value times 10^9; what was written beyond that is rounded away from zero. */
  readonly nano: bigint;
  readonly form: 'binary' | 'decimal' | 'exponent';
}

const NANO = 1_000_000_000n;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
/** Beyond this many digits a number is hostile, not big. */
const MAX_LENGTH = 200;
const MAX_EXPONENT = 400;

const INVALID = "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'";
const BAD_SUFFIX = "unable to parse quantity's suffix";

/** Reads `500m`, `1Gi`, `1e3`, `0.5` or a number. Throws an Error with Kubernetes' message. */
export function parseQuantity(input: string | number): Quantity {
  const text = typeof input === 'number' ? numberText(input) : input;
  const before = known.get(text);
  if (before) return before;
  const quantity = Object.freeze(parse(text));
  if (known.size >= MAX_KNOWN) known.clear();
  known.set(text, quantity);
  return quantity;
}

/** VMs of one kind ask for the same amounts, and each is read many times on its way. */
const known = new Map<string, Quantity>();
const MAX_KNOWN = 1000;

function parse(text: string): Quantity {
  const match = text.length > MAX_LENGTH ? null : /^([+-]?)(\d*)(?:\.(\d*))?([^\d.].*)?$/.exec(text);
  if (!match || !(match[2] || match[3])) throw new Error(INVALID);
  const [, sign, whole = '', fraction = '', suffix = ''] = match;
  const { factor, exponent, form } = scaleOf(suffix);
  const digits = BigInt(whole + fraction) * factor;
  const nano = shift(digits, exponent - fraction.length + 9);
  return { nano: sign === '-' ? -nano : nano, form };
}

/** JSON numbers may print as 1e+21, which no quantity may. */
const numberText = (value: number): string => (Number.isFinite(value) ? String(value).replace('e+', 'e') : 'NaN');

function scaleOf(suffix: string): { factor: bigint; exponent: number; form: Quantity['form'] } {
  if (Object.hasOwn(DECIMAL, suffix)) return { factor: 1n, exponent: DECIMAL[suffix]!, form: 'decimal' };
  const power = BINARY.indexOf(suffix);
  if (power > 0) return { factor: 1024n ** BigInt(power), exponent: 0, form: 'binary' };
  const match = /^[eE]([+-]?\d+)$/.exec(suffix);
  if (!match) throw new Error(/^[eEinumkKMGTP]*[-+]?[0-9]*$/.test(suffix) ? BAD_SUFFIX : INVALID);
  const exponent = Number(match[1]);
  if (Math.abs(exponent) > MAX_EXPONENT) throw new Error(BAD_SUFFIX);
  return { factor: 1n, exponent, form: 'exponent' };
}

/** `value` times 10^exponent, rounded up. */
function shift(value: bigint, exponent: number): bigint {
  if (exponent >= 0) return value * 10n ** BigInt(exponent);
  const divisor = 10n ** BigInt(-exponent);
  return (value + divisor - 1n) / divisor;
}

/** The canonical text: the largest suffix of its form that leaves a whole number. */
export function formatQuantity({ nano, form }: Quantity): string {
  if (nano === 0n) return '0';
  if (form === 'binary' && nano % NANO === 0n && abs(nano) >= 1024n * NANO) return binaryText(nano / NANO);
  let [value, exponent] = [nano, -9];
  const most = form === 'exponent' ? Number.POSITIVE_INFINITY : 18;
  while (value % 1000n === 0n && exponent < most) {
    value /= 1000n;
    exponent += 3;
  }
  if (form === 'exponent') return exponent === 0 ? `${value}` : `${value}e${exponent}`;
  const suffix = Object.keys(DECIMAL).find((key) => DECIMAL[key] === exponent);
  return `${value}${suffix}`;
}

function binaryText(whole: bigint): string {
  let [value, power] = [whole, 0];
  while (value % 1024n === 0n && power < BINARY.length - 1) {
    value /= 1024n;
    power++;
  }
  return `${value}${BINARY[power]}`;
}

const abs = (value: bigint): bigint => (value < 0n ? -value : value);

/** The canonical text of a quantity as a client wrote it. */
export const canonicalQuantity = (input: string | number): string => formatQuantity(parseQuantity(input));

type Input = string | number | Quantity;
const read = (input: Input): Quantity => (typeof input === 'object' ? input : parseQuantity(input));

/** Below, at or above zero as `a` is less than, equal to or greater than `b`. */
export function compareQuantities(a: Input, b: Input): number {
  const difference = read(a).nano - read(b).nano;
  return difference < 0n ? -1 : difference > 0n ? 1 : 0;
}

/** The sum, in the form of the first unless that is zero. */
export function addQuantities(a: Input, b: Input): Quantity {
  const [left, right] = [read(a), read(b)];
  return { nano: left.nano + right.nano, form: left.nano === 0n ? right.form : left.form };
}

export function subtractQuantities(a: Input, b: Input): Quantity {
  const right = read(b);
  return addQuantities(a, { ...right, nano: -right.nano });
}

/** The whole number at or above the value, such as bytes of memory. */
export const toBytes = (input: Input): bigint => ceilDivide(read(input).nano, NANO);

/** Thousandths, rounded up, such as millicores. */
export const toMilli = (input: Input): bigint => ceilDivide(read(input).nano, NANO / 1000n);

/** BigInt division cuts towards zero, which for negative numbers is up already. */
const ceilDivide = (value: bigint, divisor: bigint): bigint =>
  value > 0n ? (value + divisor - 1n) / divisor : value / divisor;

/** A number of bytes as a quantity that is exactly that: `10260Mi`, for people to copy. */
export const bytesQuantity = (count: number): string => formatQuantity({ nano: BigInt(count) * NANO, form: 'binary' });

/** `1.5 GiB`, for people. */
export function formatBytes(count: number): string {
  const units = ['bytes', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = count;
  let unit = 0;
  for (; value >= 1024 && unit < units.length - 1; unit++) value /= 1024;
  return `${Number(value.toFixed(1))} ${units[unit]}`;
}

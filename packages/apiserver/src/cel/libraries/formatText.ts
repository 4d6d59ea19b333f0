/** `'%s is %d'.format([…])`, with Go's texts of values. */
import { textWork, work } from '../meter.ts';
import { toText } from '../values/convert.ts';
import { plainDouble } from '../values/text.ts';
import {
  CelError,
  type CelList,
  type CelMap,
  type CelValue,
  Duration,
  isList,
  isMap,
  type Result,
  Timestamp,
  TypeValue,
  typeName,
  Uint,
} from '../values/values.ts';

const DEFAULT_PRECISION = 6;
/** Go knows no limit; what is beyond are zeros. */
const MAX_PRECISION = 100;

/** What a clause may be given, as both the message at compile time and at run time say it. */
export const CLAUSE_ERRORS: Readonly<Record<string, string>> = {
  s: 'string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, durations, and timestamps, was given',
  d: 'decimal clause can only be used on integers, was given',
  f: 'fixed-point clause can only be used on doubles, was given',
  e: 'scientific clause can only be used on doubles, was given',
  b: 'only integers and bools can be formatted as binary, was given',
  x: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  X: 'only integers, byte buffers, and strings can be formatted as hex, was given',
  o: 'octal clause can only be used on integers, was given',
};

/** A part of a format: text, or a clause such as `%.2f`. */
export type FormatPart = { readonly text: string } | { readonly clause: string; readonly precision: number };

/** Takes a format apart. The error is as cel-go words it. */
export function* parseFormat(format: string): Generator<FormatPart | CelError, void> {
  for (let i = 0; i < format.length; ) {
    const next = format.indexOf('%', i);
    if (next > i || next === -1) {
      const end = next === -1 ? format.length : next;
      yield { text: format.slice(i, end) };
      i = end;
    } else if (format[next + 1] === '%') {
      yield { text: '%' };
      i += 2;
    } else {
      const clause = /^%(\.(\d*))?(.?)/s.exec(format.slice(next, next + 200)) as unknown as string[];
      const problem = clauseProblem(clause[1], clause[2], clause[3] as string);
      if (problem) {
        yield new CelError(problem);
        return;
      }
      const precision = clause[2] ? Math.min(Number(clause[2]), MAX_PRECISION) : DEFAULT_PRECISION;
      yield { clause: clause[3] as string, precision };
      i += (clause[0] as string).length;
    }
  }
}

function clauseProblem(dot: string | undefined, digits: string | undefined, letter: string): string | undefined {
  const parsing = 'could not parse formatting clause: ';
  if (letter === '') {
    if (dot === undefined) return 'unexpected end of string';
    return `${parsing}error while parsing precision: could not find end of precision specifier`;
  }
  if (digits === '')
    return `${parsing}error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing "": invalid syntax`;
  return Object.hasOwn(CLAUSE_ERRORS, letter) ? undefined : `${parsing}unrecognized formatting clause "${letter}"`;
}

/** The format with its clauses replaced by the values of the list. */
export function formatText(format: string, values: CelList): Result {
  let text = '';
  let index = 0;
  for (const part of parseFormat(format)) {
    if (part instanceof CelError) return index >= values.size ? tooFew(index) : part;
    if ('text' in part) {
      text += part.text;
      continue;
    }
    if (index >= values.size) return tooFew(index);
    const value = values.get(index++);
    if (value instanceof CelError) return value;
    const shown = showClause(value, part.clause, part.precision);
    if (shown instanceof CelError) return new CelError(`error during formatting: ${shown.message}`);
    textWork(shown);
    text += shown;
  }
  return text;
}

const tooFew = (index: number): CelError => new CelError(`index ${index} out of range`);

function showClause(value: CelValue, clause: string, precision: number): string | CelError {
  const wrong = new CelError(`${CLAUSE_ERRORS[clause]} ${typeName(value)}`);
  const integer = typeof value === 'bigint' ? value : value instanceof Uint ? value.value : undefined;
  switch (clause) {
    case 's':
      return showText(value) ?? wrong;
    case 'd':
      return integer === undefined ? wrong : String(integer);
    case 'b':
      if (typeof value === 'boolean') return value ? '1' : '0';
      return integer === undefined ? wrong : integer.toString(2);
    case 'o':
      return integer === undefined ? wrong : integer.toString(8);
    case 'x':
      return showHex(value, integer) ?? wrong;
    case 'X':
      return showHex(value, integer)?.toUpperCase() ?? wrong;
    default: {
      const double = doubleOf(value);
      if (double === undefined) return wrong;
      return clause === 'f' ? fixed(double, precision) : scientific(double, precision);
    }
  }
}

function showHex(value: CelValue, integer: bigint | undefined): string | undefined {
  if (integer !== undefined) return integer.toString(16);
  if (typeof value === 'string' || value instanceof Uint8Array) {
    textWork(value);
    return Buffer.from(value as string).toString('hex');
  }
  return undefined;
}

const NAMED: Readonly<Record<string, number>> = {
  NaN: Number.NaN,
  Infinity: Number.POSITIVE_INFINITY,
  '-Infinity': Number.NEGATIVE_INFINITY,
};

function doubleOf(value: CelValue): number | undefined {
  if (typeof value === 'number') return value;
  return typeof value === 'string' && Object.hasOwn(NAMED, value) ? NAMED[value] : undefined;
}

const special = (value: number): string | undefined =>
  Number.isNaN(value) ? 'NaN' : Number.isFinite(value) ? undefined : value > 0 ? '∞' : '-∞';

/** With commas between thousands: cel-go writes numbers for people in the United States. */
function fixed(value: number, precision: number): string {
  const shown = special(value);
  if (shown) return shown;
  const text = Math.abs(value) < 1e21 ? value.toFixed(precision) : `${plainDouble(value)}${zeros(precision)}`;
  return text.replace(/^(-?)(\d+)/, (_, sign, digits) => sign + digits.replaceAll(/\B(?=(\d{3})+$)/g, ','));
}

const zeros = (precision: number): string => (precision > 0 ? `.${'0'.repeat(precision)}` : '');

const SUPERSCRIPTS = '⁰¹²³⁴⁵⁶⁷⁸⁹';

function scientific(value: number, precision: number): string {
  const shown = special(value);
  if (shown) return shown;
  const [mantissa = '', exponent = '0'] = value.toExponential(precision).split('e');
  const digits = exponent.replace(/^[+-]/, '').padStart(2, '0');
  const raised = [...digits].map((digit) => SUPERSCRIPTS[Number(digit)]).join('');
  return `${mantissa}×10${exponent.startsWith('-') ? '⁻' : ''}${raised}`;
}

/** A value as `%s` shows it; undefined for what has no text. */
function showText(value: CelValue): string | undefined {
  if (value === null) return 'null';
  if (isList(value)) return showList(value);
  if (isMap(value)) return showMap(value);
  if (value instanceof TypeValue) return value.name;
  const text = toText(value);
  return text instanceof CelError ? undefined : (text as string);
}

/** Inside of lists and maps texts are quoted and doubles have six digits. */
function showInner(value: Result): string | undefined {
  work(8);
  if (value instanceof CelError) return undefined;
  if (typeof value === 'string') {
    textWork(value);
    return JSON.stringify(value);
  }
  if (typeof value === 'number') return Number.isFinite(value) ? value.toFixed(6) : JSON.stringify(showText(value));
  if (value instanceof Timestamp) return `timestamp("${showText(value)}")`;
  if (value instanceof Duration) return `duration("${showText(value)}")`;
  const text = showText(value);
  return value instanceof Uint8Array && text !== undefined ? `b${JSON.stringify(text)}` : text;
}

function showList(list: CelList): string | undefined {
  const parts: string[] = [];
  for (let i = 0; i < list.size; i++) {
    const part = showInner(list.get(i));
    if (part === undefined) return undefined;
    parts.push(part);
  }
  return `[${parts.join(', ')}]`;
}

function showMap(map: CelMap): string | undefined {
  const parts: string[] = [];
  for (const key of map.keys()) {
    const shownKey = showInner(key);
    const shown = showInner(map.find(key) as Result);
    if (shownKey === undefined || shown === undefined) return undefined;
    parts.push(`${shownKey}:${shown}`);
  }
  return `{${parts.sort().join(', ')}}`;
}

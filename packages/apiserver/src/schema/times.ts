import { isDateTime } from './formats.ts';

/** A moment as `metav1.Time` writes it: UTC, whole seconds. Undefined where the text is no RFC 3339 time. */
export function normalizeTime(text: string): string | undefined {
  if (isNormal(text)) return text;
  const at = parse(text);
  return at === undefined ? undefined : `${at.seconds}Z`;
}

/** A moment as `metav1.MicroTime` writes it: UTC, six digits of a second. */
export function normalizeMicroTime(text: string): string | undefined {
  const at = parse(text);
  return at === undefined ? undefined : `${at.seconds}.${at.fraction.padEnd(6, '0').slice(0, 6)}Z`;
}

/** As nearly all times are, for we wrote them. A leap second is not: it is moved. */
const isNormal = (text: string): boolean =>
  text.length === 20 && text[10] === 'T' && text.endsWith('Z') && !text.endsWith(':60Z') && isDateTime(text);

/** `Date` knows milliseconds only, so the fraction is carried beside it. */
function parse(text: string): { seconds: string; fraction: string } | undefined {
  if (!isDateTime(text)) return undefined;
  const fraction = /\.(\d+)/.exec(text)?.[1] ?? '';
  const date = new Date(text.toUpperCase().replace(/\.\d+/, '').replace(':60', ':59'));
  return { seconds: date.toISOString().slice(0, 19), fraction };
}

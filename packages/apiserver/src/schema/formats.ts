import { isIP, isIPv4, isIPv6 } from 'node:net';

const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const label = /^[a-zA-Z0-9_]([a-zA-Z0-9_-]{0,61}[a-zA-Z0-9_])?$/;
const uuid = (version: string): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?[0-9a-f]{4}-?[0-9a-f]{12}$`, 'i');
const matches = (pattern: RegExp) => (text: string) => pattern.test(text);

/** RFC 3339 with seconds; whether the day exists is checked, too. */
export function isDateTime(text: string): boolean {
  const match =
    /^(\d{4}-\d{2}-\d{2})[Tt]([01]\d|2[0-3]):[0-5]\d:([0-5]\d|60)(\.\d{1,9})?([Zz]|[+-]([01]\d|2[0-3]):[0-5]\d)$/.exec(
      text,
    );
  return match !== null && isDate(match[1]!);
}

function isDate(text: string): boolean {
  const [, year, month, day] = (/^(\d{4})-(\d{2})-(\d{2})$/.exec(text) ?? []).map(Number);
  return year !== undefined && day! >= 1 && day! <= daysOf(year, month!);
}

/** Asked for every time of every object that is written; a `Date` would be most of the work. */
function daysOf(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return [0, 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month] ?? 0;
}

function isCidr(text: string): boolean {
  const [address = '', prefix = '', ...rest] = text.split('/');
  const most = isIPv4(address) ? 32 : isIPv6(address) ? 128 : -1;
  return rest.length === 0 && /^(0|[1-9]\d{0,2})$/.test(prefix) && Number(prefix) <= most;
}

function isUri(text: string): boolean {
  return text.startsWith('/') || URL.canParse(text);
}

/** The string formats that Kubernetes checks. A format that is not here is a remark to the reader. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  byte: (text) => base64.test(text),
  cidr: isCidr,
  date: isDate,
  'date-time': isDateTime,
  datetime: isDateTime,
  duration: matches(
    /^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$|^[+-]?0$|^\s*\d+(\.\d*)?\s*(nano|micro|milli|second|minute|hour|day|week)s?\s*$/,
  ),
  email: matches(/^[^\s@<>()[\]\\,;:"]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: (text) =>
    text.length <= 253 &&
    text
      .replace(/\.$/, '')
      .split('.')
      .every((part) => label.test(part)),
  ip: (text) => isIP(text) !== 0,
  ipv4: isIPv4,
  ipv6: isIPv6,
  mac: matches(/^([0-9a-fA-F]{2}([:-]))([0-9a-fA-F]{2}\2){4}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/),
  rgbcolor: matches(
    /^rgb\(\s*(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\s*,\s*(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\s*,\s*(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\s*\)$/,
  ),
  uri: isUri,
  uuid: matches(uuid('[0-9a-f]')),
  uuid3: matches(uuid('3')),
  uuid4: matches(uuid('4')),
  uuid5: matches(uuid('5')),
};

/** Whether the text has the format; formats that are not checked fit anything. */
export const hasFormat = (text: string, format: string): boolean =>
  !Object.hasOwn(checks, format) || checks[format]!(text);

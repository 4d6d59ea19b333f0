import { isIPv4, isIPv6 } from 'node:net';
import type { Schema } from '@vireo/api';
import { dnsLabel, dnsSubdomain } from '@vireo/api/names.ts';

/** At least one group: an empty text is none. */
const base64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=|[A-Za-z0-9+/]{4})$/;
const label = /^[a-zA-Z0-9\p{S}\p{L}]([a-zA-Z0-9\p{S}\p{L}-]{0,61}[a-zA-Z0-9\p{S}\p{L}])?$/u;
const uuid = (version: string, variant = '[0-9a-f]'): RegExp =>
  new RegExp(`^[0-9a-f]{8}-?[0-9a-f]{4}-?${version}[0-9a-f]{3}-?${variant}[0-9a-f]{3}-?[0-9a-f]{12}$`, 'i');
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

/** The digits of an ISBN, whose last one may be an X; undefined where it is none of this length. */
function isbnDigits(text: string, length: number): number[] | undefined {
  const compact = text.replaceAll(/[\s-]/g, '');
  const pattern = length === 10 ? /^\d{9}[\dX]$/ : /^\d{13}$/;
  return pattern.test(compact) ? [...compact].map((digit) => (digit === 'X' ? 10 : Number(digit))) : undefined;
}

const isIsbn10 = (text: string): boolean => {
  const sum = isbnDigits(text, 10)?.reduce((total, digit, i) => total + digit * (10 - i), 0);
  return sum !== undefined && sum % 11 === 0;
};

const isIsbn13 = (text: string): boolean => {
  const sum = isbnDigits(text, 13)?.reduce((total, digit, i) => total + digit * (i % 2 === 0 ? 1 : 3), 0);
  return sum !== undefined && sum % 10 === 0;
};

const CARD =
  /^(?:4\d{12}(?:\d{3})?|5[1-5]\d{14}|6(?:011|5\d\d)\d{12}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|(?:2131|1800|35\d{3})\d{11})$/;

/** The number of a payment card, with Luhn's check digit. */
function isCreditCard(text: string): boolean {
  const digits = text.replaceAll(/\D/g, '');
  const sum = [...digits].reverse().reduce((total, digit, i) => {
    const value = Number(digit) * (i % 2 === 0 ? 1 : 2);
    return total + (value > 9 ? value - 9 : value);
  }, 0);
  return CARD.test(digits) && sum % 10 === 0;
}

/** The string formats that Kubernetes checks, by their names without dashes. Any other is a remark to the reader. */
const checks: Readonly<Record<string, (text: string) => boolean>> = {
  bsonobjectid: matches(/^[0-9a-f]{24}$/i),
  byte: matches(base64),
  cidr: isCidr,
  creditcard: isCreditCard,
  date: isDate,
  datetime: isDateTime,
  duration: matches(
    /^([+-]?(\d+(\.\d*)?|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$|^[+-]?0$|^\s*\d+(\.\d*)?\s*(nano|micro|milli|second|minute|hour|day|week)s?\s*$/,
  ),
  email: matches(/^[^\s@<>()[\]\\,;:"]{1,64}@[A-Za-z0-9]([A-Za-z0-9.-]{0,252}[A-Za-z0-9])?$/),
  hexcolor: matches(/^#?([0-9a-fA-F]{3}|[0-9a-fA-F]{6})$/),
  hostname: (text) => text.length <= 255 && text.split('.').every((part) => label.test(part)),
  ipv4: isIPv4,
  ipv6: isIPv6,
  isbn: (text) => isIsbn10(text) || isIsbn13(text),
  isbn10: isIsbn10,
  isbn13: isIsbn13,
  k8slongname: (text) => dnsSubdomain(text).length === 0,
  k8sshortname: (text) => dnsLabel(text).length === 0,
  mac: matches(/^([0-9a-fA-F]{2}([:-]))([0-9a-fA-F]{2}\2){4}[0-9a-fA-F]{2}$|^([0-9a-fA-F]{4}\.){2}[0-9a-fA-F]{4}$/),
  password: () => true,
  rgbcolor: matches(
    /^rgb\(\s*(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\s*,\s*(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\s*,\s*(\d{1,2}|1\d\d|2[0-4]\d|25[0-5])\s*\)$/,
  ),
  ssn: matches(/^\d{3}[- ]?\d{2}[- ]?\d{4}$/),
  uri: isUri,
  uuid: matches(uuid('[0-9a-f]')),
  uuid3: matches(uuid('3')),
  uuid4: matches(uuid('4', '[89ab]')),
  uuid5: matches(uuid('5', '[89ab]')),
};

/** Whether a definition can ask for the format. */
export const isStringFormat = (format: string): boolean => checkOf(format) !== undefined;

const checksByName = new Map<string, ((text: string) => boolean) | undefined>();
/** Definitions come and go, and each may bring formats of its own. */
const MAX_NAMES = 1000;

function checkOf(format: string): ((text: string) => boolean) | undefined {
  if (checksByName.has(format)) return checksByName.get(format);
  const name = format.replaceAll('-', '');
  const check = Object.hasOwn(checks, name) ? checks[name] : undefined;
  if (checksByName.size < MAX_NAMES) checksByName.set(format, check);
  return check;
}

const NUMBER_FORMATS: Readonly<Record<string, readonly string[]>> = {
  integer: ['int32', 'int64'],
  number: ['float', 'double'],
};

/** The format of a schema if it is one that is checked for its type. */
export function formatOf({ type, format, intOrString, anyFormat }: Schema): string | undefined {
  if (format === undefined) return undefined;
  if (type === undefined || type === 'string' || intOrString) return (anyFormat || checkOf(format)) && format;
  return NUMBER_FORMATS[type]?.includes(format) ? format : undefined;
}

/** Whether the text has the format; formats that are not checked fit anything. */
export const hasFormat = (text: string, format: string): boolean => checkOf(format)?.(text) ?? true;

const MAX_INT32 = 2 ** 31 - 1;
const MAX_FLOAT32 = 3.4028234663852886e38;

/** Whether a number is one of this type and format. */
export function isInNumberRange(value: number, type: string | undefined, format: string | undefined): boolean {
  if (type === 'number') return format !== 'float' || Math.abs(value) <= MAX_FLOAT32;
  if (type !== 'integer') return true;
  if (format === 'int32') return Number.isInteger(value) && value >= -MAX_INT32 - 1 && value <= MAX_INT32;
  return isInt64(value);
}

/** Go reads a number that no int64 can hold as a float. */
export const isInt64 = (value: number): boolean => Number.isInteger(value) && value >= -(2 ** 63) && value < 2 ** 63;

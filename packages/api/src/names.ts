/** The rules for names, in Kubernetes' words. Each function returns what is wrong: nothing, for a good name. */

/** `isPrefix`: the text is the beginning of a generated name, so it may end in a dash. */
export type NameRule = (name: string, isPrefix?: boolean) => string[];

const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const LABEL_1035 = '[a-z]([-a-z0-9]*[a-z0-9])?';
const QUALIFIED = '([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]';

const explain = (rule: string, regex: string, ...examples: string[]): string =>
  `${rule} (e.g. ${examples.map((example) => `'${example}', `).join(' or ')}regex used for validation is '${regex}')`;

const LABEL_TEXT = explain(
  "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with an alphanumeric character",
  LABEL,
  'my-name',
  '123-abc',
);
const SUBDOMAIN_TEXT = explain(
  "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character",
  SUBDOMAIN,
  'example.com',
);
const LABEL_1035_TEXT = explain(
  "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, and end with an alphanumeric character",
  LABEL_1035,
  'my-name',
  'abc-123',
);
const NAME_PART =
  "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character";
const QUALIFIED_TEXT = explain(NAME_PART, QUALIFIED, 'MyName', 'my.name', '123-abc');
const VALUE_TEXT = explain(
  `a valid label must be an empty string or ${NAME_PART.slice('must '.length)}`,
  `(${QUALIFIED})?`,
  'MyValue',
  'my_value',
  '12345',
);

const whole = (regex: string): RegExp => new RegExp(`^(?:${regex})$`);
const [label, subdomain, label1035, qualified] = [LABEL, SUBDOMAIN, LABEL_1035, QUALIFIED].map(whole) as [
  RegExp,
  RegExp,
  RegExp,
  RegExp,
];

/** A long name is refused for its length before a pattern is run over it. */
function nameErrors(name: string, most: number, pattern: RegExp, text: string): string[] {
  if (Buffer.byteLength(name) > most) return [`must be no more than ${most} characters`];
  return pattern.test(name) ? [] : [text];
}

const rule =
  (most: number, pattern: RegExp, text: string): NameRule =>
  (name, isPrefix = false) =>
    nameErrors(isPrefix ? name.replace(/-$/, 'a') : name, most, pattern, text);

export const dnsLabel: NameRule = rule(63, label, LABEL_TEXT);
export const dnsSubdomain: NameRule = rule(253, subdomain, SUBDOMAIN_TEXT);
export const dns1035Label: NameRule = rule(63, label1035, LABEL_1035_TEXT);

/** Names that only have to be safe in a path, such as those of RBAC objects. */
export const pathSegment: NameRule = (name, isPrefix = false) => {
  const forbidden = ['/', '%'].filter((sign) => name.includes(sign)).map((sign) => `may not contain '${sign}'`);
  return !isPrefix && (name === '.' || name === '..') ? [`may not be '${name}'`] : forbidden;
};

/** Keys that were found to be good. The same few come with nearly every write, and the patterns take their time. */
const goodKeys = new Set<string>();
const MAX_GOOD_KEYS = 1_000;

/** Keys of labels and annotations, finalizers: a name, and a domain before it if wanted. */
export function qualifiedNameErrors(key: string): string[] {
  if (goodKeys.has(key)) return [];
  const errors = keyErrors(key);
  if (errors.length === 0) {
    if (goodKeys.size >= MAX_GOOD_KEYS) goodKeys.clear();
    goodKeys.add(key);
  }
  return errors;
}

function keyErrors(key: string): string[] {
  const parts = key.split('/');
  const [prefix, name] = parts.length === 1 ? [undefined, key] : parts;
  if (parts.length > 2 || name === undefined) {
    return [
      `a valid label key ${QUALIFIED_TEXT} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')`,
    ];
  }
  const prefixErrors = prefix === undefined ? [] : prefix === '' ? ['must be non-empty'] : dnsSubdomain(prefix);
  const partErrors =
    name === '' ? ['must be non-empty', QUALIFIED_TEXT] : nameErrors(name, 63, qualified, QUALIFIED_TEXT);
  return [...prefixErrors.map((why) => `prefix part ${why}`), ...partErrors.map((why) => `name part ${why}`)];
}

export const labelValueErrors = (value: string): string[] =>
  value === '' ? [] : nameErrors(value, 63, qualified, VALUE_TEXT);

/** No vowels, no look-alikes: what comes out is never a word. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const SUFFIX_LENGTH = 5;
const MAX_PREFIX = 63 - SUFFIX_LENGTH;

/** Completes a `generateName`. `random` gives numbers from 0 up to 1. */
export function generateName(prefix: string, random: () => number = Math.random): string {
  const suffix = Array.from({ length: SUFFIX_LENGTH }, () => ALPHABET[Math.floor(random() * ALPHABET.length)]);
  return `${prefix.slice(0, MAX_PREFIX)}${suffix.join('')}`;
}

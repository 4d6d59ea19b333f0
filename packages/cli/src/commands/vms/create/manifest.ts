import { randomInt } from 'node:crypto';
import { stringify } from 'yaml';

/** Letters that Kubernetes makes names of: none that reads as another, none that makes words. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';

/** Five letters, as generated names end in. */
export const randomSuffix = (): string =>
  Array.from({ length: 5 }, () => ALPHABET[randomInt(ALPHABET.length)]).join('');

/** The object as virtctl prints it: keys in order, nothing that is not set. */
export const toYaml = (object: unknown): string =>
  stringify(withoutUnset(object), { sortMapEntries: true, indentSeq: false, lineWidth: 0 });

function withoutUnset(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutUnset);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, each]) => each !== undefined)
      .map(([key, each]) => [key, withoutUnset(each)]),
  );
}

import { createHash, type Hash } from 'node:crypto';
import { OciError } from './errors.ts';

const HEX_DIGITS = { sha256: 64, sha512: 128 } as const;
type Algorithm = keyof typeof HEX_DIGITS;

/** A digest in its parts; undefined for what is none. Both parts are safe as names of files. */
export function parseDigest(text: string): { algorithm: Algorithm; hex: string } | undefined {
  const [, algorithm = '', hex = ''] = /^(sha256|sha512):([a-f0-9]+)$/.exec(text) ?? [];
  return isAlgorithm(algorithm) && hex.length === HEX_DIGITS[algorithm] ? { algorithm, hex } : undefined;
}

const isAlgorithm = (text: string): text is Algorithm => Object.hasOwn(HEX_DIGITS, text);

export const digestOf = (bytes: Buffer): string => `sha256:${createHash('sha256').update(bytes).digest('hex')}`;

/** Compares bytes, as they pass, with the digest that they were asked for by. */
export class DigestCheck {
  readonly #expected: string;
  readonly #algorithm: Algorithm;
  readonly #hash: Hash;

  constructor(expected: string) {
    const parsed = parseDigest(expected);
    if (!parsed) throw new OciError('BadImage', `${JSON.stringify(expected)} is not a supported digest`);
    this.#expected = expected;
    this.#algorithm = parsed.algorithm;
    this.#hash = createHash(parsed.algorithm);
  }

  update(chunk: Buffer): void {
    this.#hash.update(chunk);
  }

  /** Throws unless all that passed is what was named. */
  finish(what: string): void {
    const actual = `${this.#algorithm}:${this.#hash.digest('hex')}`;
    if (actual !== this.#expected)
      throw new OciError(
        'BadDigest',
        `${what} should have digest ${this.#expected}, but the received data has ${actual}`,
      );
  }
}

/** Throws unless the bytes are what the digest names. */
export function checkDigest(bytes: Buffer, expected: string, what: string): void {
  const check = new DigestCheck(expected);
  check.update(bytes);
  check.finish(what);
}

import { randomBytes } from 'node:crypto';

/** Words that stand for secrets: each is planted in one place, so that where it turns up says whose secret leaks. */
export class Canaries {
  readonly #words = new Map<string, string>();

  /** The word for a secret, the same each time. */
  of(secret: string): string {
    const word = this.#words.get(secret) ?? `canary${randomBytes(12).toString('hex')}`;
    this.#words.set(secret, word);
    return word;
  }

  /** Makes a secret that is there already one to look for. */
  add(secret: string, word: string): void {
    this.#words.set(secret, word);
  }

  /** The secrets that a text has in it, plainly or as base64. */
  in(text: string): string[] {
    const isIn = (word: string): boolean => text.includes(word) || encodings(word).some((each) => text.includes(each));
    return [...this.#words].filter(([, word]) => isIn(word)).map(([secret]) => secret);
  }
}

/** Base64 of a word that begins at any of the three places in a group; the ends, which depend on neighbours, left out. */
function encodings(word: string): string[] {
  return [0, 1, 2].map((shift) => {
    const whole = Buffer.from('.'.repeat(shift) + word).toString('base64');
    const [from, to] = [shift === 0 ? 0 : 4, whole.length - 4];
    return whole.slice(from, to);
  });
}

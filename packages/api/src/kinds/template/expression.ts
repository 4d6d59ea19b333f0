const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ';
const DIGITS = '0123456789';
const SYMBOLS = '!"#$%&\'()*+,-./:;<=>?@[\\]^_`{|}~';

const CLASSES: Readonly<Record<string, string>> = {
  '\\w': `${LETTERS}${DIGITS}_`,
  '\\d': DIGITS,
  '\\a': `${LETTERS}${DIGITS}`,
  '\\A': SYMBOLS,
};

/** `[a-z0-9]{8}` in a text. */
const EXPRESSION = /\[([a-zA-Z0-9\-\\]+)\]\{(\w+)\}/;
const RANGE = /\\[wdaA]|.-.|[a-zA-Z0-9]+/g;
const LONGEST = 255;

/** What is wrong with an expression. */
export class ExpressionError extends Error {
  override readonly name = 'ExpressionError';
}

/**
 * A text with every expression in it replaced by random characters. `random` gives whole numbers below its argument.
 *
 * @example
 * generate('vm-[a-z0-9]{4}', (below) => randomInt(below)); // vm-7x2k
 */
export function generate(text: string, random: (below: number) => number): string {
  const match = EXPRESSION.exec(text);
  if (!match) return text;
  const [whole, ranges = '', length = ''] = match;
  const characters = charactersOf(ranges);
  const value = Array.from({ length: lengthOf(length) }, () => characters[random(characters.length)]).join('');
  // What was generated is not looked at again: symbols might make an expression.
  return text.slice(0, match.index) + value + generate(text.slice(match.index + whole.length), random);
}

function lengthOf(text: string): number {
  if (!/^\d+$/.test(text)) throw new ExpressionError(`malformed length syntax: ${text}`);
  const length = Number(text);
  if (length < 1 || length > LONGEST)
    throw new ExpressionError(`range must be within [1-${LONGEST}] characters: ${length}`);
  return length;
}

function charactersOf(ranges: string): string[] {
  const parts = ranges.match(RANGE);
  if (!parts) throw new ExpressionError(`malformed ranges syntax: ${ranges}`);
  return [...new Set(parts.flatMap((part) => [...(CLASSES[part] ?? spanOf(part) ?? part)]))].sort();
}

/** The characters from one to another: `a-f`. Undefined: it is no span. */
function spanOf(part: string): string | undefined {
  if (part.length !== 3 || part[1] !== '-') return undefined;
  const all = `${LETTERS}${DIGITS}`;
  const [from, to] = [all.indexOf(part[0]!), all.indexOf(part[2]!)];
  if (from < 0 || to < 0 || from > to) throw new ExpressionError(`invalid range specified: ${part}`);
  return all.slice(from, to + 1);
}

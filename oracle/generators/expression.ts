import type { Random } from '../../faults/random.ts';
import { ATOMS, type ExpressionType, FORMS } from './expressionTable.ts';
import { chance } from './schema.ts';

const TYPES = Object.keys(ATOMS) as ExpressionType[];
/** What `%s` can show. */
const SHOWN: readonly ExpressionType[] = [
  'int',
  'double',
  'bool',
  'string',
  'bytes',
  'time',
  'duration',
  'ints',
  'strings',
  'map',
];
const SCRAPS = [
  '.',
  '(',
  ')',
  '[',
  ']',
  "'",
  '+',
  '==',
  ' in ',
  '&&',
  '?',
  ':',
  ',',
  '!',
  '1',
  'x',
  'self',
  '.nope',
  '.size()',
  'null',
  '{',
  '}',
  '\\',
];

/** An expression whose value a message can show. */
export function randomExpression(random: Random): string {
  const text = expressionOf(random, random.pick(SHOWN), random.between(1, 3), chance(random, 0.15) ? 0.15 : 0);
  return chance(random, 0.1) ? garbled(random, text) : text;
}

/** An expression of this type; with the given probability a part is of another, which seldom compiles. */
function expressionOf(random: Random, type: ExpressionType, depth: number, errs: number): string {
  if (depth <= 0) return random.pick(ATOMS[type]);
  const form = random.pick(FORMS[type]);
  return form.replaceAll(/\{(\w+)\}/g, (whole, name: string) => {
    if (!(name in ATOMS)) return whole;
    const part = chance(random, errs) ? random.pick(TYPES) : (name as ExpressionType);
    const text = expressionOf(random, part, chance(random, 0.5) ? 0 : depth - 1, errs);
    return /^([\w.]+|'[^']*'|\[[^\]]*\])$/.test(text) ? text : `(${text})`;
  });
}

/** The text with a piece cut out or put in. */
function garbled(random: Random, text: string): string {
  const at = random.between(0, text.length);
  return chance(random, 0.5)
    ? text.slice(0, at) + text.slice(at + random.between(1, 3))
    : text.slice(0, at) + random.pick(SCRAPS) + text.slice(at);
}

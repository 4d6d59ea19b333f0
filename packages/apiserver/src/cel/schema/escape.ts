/** Names of fields as expressions write them: CEL knows no dashes in names, and keeps words for itself. */

const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

const ESCAPES: Readonly<Record<string, string>> = {
  __: '__underscores__',
  '.': '__dot__',
  '-': '__dash__',
  '/': '__slash__',
};
const MEANINGS: Readonly<Record<string, string>> = { underscores: '__', dot: '.', dash: '-', slash: '/' };

/** The name in an expression; undefined for names that no expression can mention. */
export function escapeField(name: string): string | undefined {
  if (!/^[A-Za-z_./-][\w./-]*$/.test(name)) return undefined;
  if (RESERVED.has(name)) return `__${name}__`;
  return name.replaceAll(/__|[./-]/g, (part) => ESCAPES[part] as string);
}

/** The name of the field behind one in an expression; undefined where it has an escape that means nothing. */
export function unescapeField(escaped: string): string | undefined {
  if (!escaped.includes('__')) return escaped;
  let isGood = true;
  const name = escaped.replaceAll(/__([^_]+)__/g, (whole, word: string) => {
    if (Object.hasOwn(MEANINGS, word)) return MEANINGS[word] as string;
    if (!RESERVED.has(word) || whole.length !== escaped.length) isGood = false;
    return word;
  });
  return isGood ? name : undefined;
}

/** Whether the word is one that CEL keeps for itself. */
export const isReserved = (word: string): boolean => RESERVED.has(word);

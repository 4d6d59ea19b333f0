/** The kinds of tokens in the order of CEL's grammar, in which messages list them. */
export const TOKEN_TYPES = [
  '==',
  '!=',
  'in',
  '<',
  '<=',
  '>=',
  '>',
  '&&',
  '||',
  '[',
  ']',
  '{',
  '}',
  '(',
  ')',
  '.',
  ',',
  '-',
  '!',
  '?',
  ':',
  '+',
  '*',
  '/',
  '%',
  'true',
  'false',
  'null',
  'NUM_FLOAT',
  'NUM_INT',
  'NUM_UINT',
  'STRING',
  'BYTES',
  'IDENTIFIER',
  'ESC_IDENTIFIER',
  '<EOF>',
] as const;

export type TokenType = (typeof TOKEN_TYPES)[number];

export interface Token {
  readonly type: TokenType;
  readonly text: string;
  /** In UTF-16 units. */
  readonly offset: number;
}

/** As messages show what was expected: `':'`, `{']', ','}`, `IDENTIFIER`. */
export function formatExpected(expected: ReadonlySet<TokenType>): string {
  const names = TOKEN_TYPES.filter((type) => expected.has(type)).map((type) =>
    /^[A-Z<]{2}/.test(type) ? type : `'${type}'`,
  );
  return names.length === 1 ? (names[0] as string) : `{${names.join(', ')}}`;
}

/** Which tokens can stand where. */
import type { TokenType } from './tokens.ts';

const LITERALS: TokenType[] = ['true', 'false', 'null', 'NUM_FLOAT', 'NUM_INT', 'NUM_UINT', 'STRING', 'BYTES'];
const PRIMARY: TokenType[] = ['[', '{', '(', '.', '-', ...LITERALS, 'IDENTIFIER'];
/** What an expression can start with. */
export const START = new Set<TokenType>([...PRIMARY, '!']);
/** What can stand before fields and indexes. */
export const PRIMARY_START = new Set(PRIMARY);
/** What can follow a dot. */
export const FIELD_NAME = new Set<TokenType>(['IDENTIFIER', 'ESC_IDENTIFIER']);
/** Operators that compare. */
export const RELATIONS = new Set<TokenType>(['<', '<=', '>=', '>', '==', '!=', 'in']);
/** Operators that bind like a sum. */
export const SUMS = new Set<TokenType>(['+', '-']);
/** Operators that bind like a product. */
export const PRODUCTS = new Set<TokenType>(['*', '/', '%']);
/** All operators between two expressions. */
export const OPERATORS: TokenType[] = [...RELATIONS, ...SUMS, ...PRODUCTS, '&&', '||', '?'];

/** Words that are no names. */
export const RESERVED = new Set(
  'as break const continue else for function if import let loop package namespace return var void while'.split(' '),
);

/** What is looked at after the types are known: literals of durations, times and patterns, and formats. */
import { CLAUSE_ERRORS, parseFormat } from '../libraries/formatText.ts';
import { compiled } from '../libraries/patterns.ts';
import { type Call, childrenOf, type Expr, type ListLiteral, type MapLiteral } from '../syntax/ast.ts';
import type { Issue } from '../syntax/source.ts';
import { type CelType, formatType, isDyn, type Kind, sameType, unwrapOptional } from '../types.ts';
import { toDuration, toTimestamp } from '../values/convert.ts';
import { CelError, type CelValue } from '../values/values.ts';

/** What is wrong with an expression whose types are right. */
export function validate(expr: Expr): Issue[] {
  const issues: Issue[] = [];
  visit(expr, false, issues);
  return issues;
}

function visit(expr: Expr, inFormat: boolean, issues: Issue[]): void {
  if (expr.kind === 'call') checkCall(expr, issues);
  if (!inFormat && expr.kind === 'list') checkList(expr, issues);
  if (!inFormat && expr.kind === 'map') checkMap(expr, issues);
  const isFormat = inFormat || (expr.kind === 'call' && expr.function === 'format');
  for (const child of childrenOf(expr)) visit(child, isFormat, issues);
}

const isGood: Readonly<Record<string, (literal: CelValue) => boolean>> = {
  duration: (literal) => !(toDuration(literal) instanceof CelError),
  timestamp: (literal) => !(toTimestamp(literal) instanceof CelError),
  matches: (literal) => typeof literal !== 'string' || !(compiled(literal) instanceof CelError),
};

function checkCall(expr: Call, issues: Issue[]): void {
  const [argument] = expr.args;
  if (Object.hasOwn(isGood, expr.function) && argument?.kind === 'literal') {
    if (!isGood[expr.function]?.(argument.value))
      issues.push({ offset: argument.offset, message: `invalid ${expr.function} argument` });
  }
  if (expr.function === 'format' && expr.target?.kind === 'literal' && argument?.kind === 'list')
    checkFormat(expr, String(expr.target.value), argument.elements, issues);
}

const CLAUSE_KINDS: Readonly<Record<string, readonly Kind[]>> = {
  d: ['int', 'uint'],
  f: ['double', 'string'],
  e: ['double', 'string'],
  b: ['int', 'uint', 'bool'],
  x: ['int', 'uint', 'string', 'bytes'],
  X: ['int', 'uint', 'string', 'bytes'],
  o: ['int', 'uint'],
  s: ['list', 'map', 'int', 'uint', 'double', 'bool', 'string', 'timestamp', 'bytes', 'duration', 'type', 'null'],
};

function checkFormat(expr: Call, format: string, args: readonly Expr[], issues: Issue[]): void {
  let used = 0;
  for (const part of parseFormat(format)) {
    if (!(part instanceof CelError) && 'text' in part) continue;
    if (used >= args.length) {
      issues.push({ offset: expr.offset, message: `index ${used} out of range` });
      return;
    }
    if (part instanceof CelError) {
      issues.push({ offset: expr.offset, message: part.message });
      return;
    }
    const wrong = wrongArgument(args[used++] as Expr, part.clause);
    if (wrong) {
      const message = `error during formatting: ${CLAUSE_ERRORS[part.clause]} ${wrong.type?.name}`;
      issues.push({ offset: wrong.offset, message });
      return;
    }
  }
  if (args.length > used) {
    const message = `too many arguments supplied to string.format (expected ${used}, got ${args.length})`;
    issues.push({ offset: expr.offset, message });
  }
}

/** The part of an argument that the clause cannot show. */
function wrongArgument(expr: Expr, clause: string): Expr | undefined {
  const type = expr.type as CelType;
  if (!isDyn(type) && !CLAUSE_KINDS[clause]?.includes(type.kind)) return expr;
  if (clause !== 's' || (expr.kind !== 'list' && expr.kind !== 'map')) return undefined;
  return childrenOf(expr)
    .map((child) => wrongArgument(child, clause))
    .find((found) => found !== undefined);
}

const mismatch = (at: Expr, expected: CelType, actual: CelType): Issue => ({
  offset: at.offset,
  message: `expected type '${formatType(expected)}' but found '${formatType(actual)}'`,
});

/** All elements of a list literal are of one type. */
function checkList({ elements, optional }: ListLiteral, issues: Issue[]): void {
  const types = elements.map((element, i) => entryType(element, optional[i] === true));
  const wrong = types.findIndex((type) => !sameType(types[0] as CelType, type));
  if (wrong > 0) issues.push(mismatch(elements[wrong] as Expr, types[0] as CelType, types[wrong] as CelType));
}

function checkMap({ entries }: MapLiteral, issues: Issue[]): void {
  const [first, ...others] = entries;
  if (!first) return;
  const keyType = first.key.type as CelType;
  const valueType = entryType(first.value, first.optional);
  for (const { key, value, optional } of others) {
    if (!sameType(keyType, key.type as CelType)) issues.push(mismatch(key, keyType, key.type as CelType));
    const type = entryType(value, optional);
    if (!sameType(valueType, type)) issues.push(mismatch(value, valueType, type));
  }
}

const entryType = (expr: Expr, optional: boolean): CelType =>
  optional ? unwrapOptional(expr.type as CelType) : (expr.type as CelType);

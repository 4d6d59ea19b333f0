import { compileExpression, type Expression } from '../../admission/expressions/expression.ts';
import { requestTypes } from '../../admission/expressions/types.ts';
import {
  BOOL,
  CelError,
  type CelType,
  DYN,
  fromJson,
  kubernetes,
  listType,
  mapType,
  STRING,
  structType,
  toJson,
} from '../../cel/index.ts';

/** What an expression about claims is to come to. */
export type ResultKind = 'bool' | 'text' | 'texts';

const TYPES: Readonly<Record<ResultKind, readonly CelType[]>> = {
  bool: [BOOL],
  // A claim can be of any type: what it is shows when a token comes.
  text: [STRING, DYN],
  texts: [STRING, listType(STRING), listType(DYN), DYN],
};

const claimsEnvironment = kubernetes.extend({ variables: { claims: mapType(STRING, DYN) } });
const userEnvironment = kubernetes.extend({
  variables: { user: structType('kubernetes.UserInfo') },
  structs: requestTypes,
});

/** An expression about the `claims` of a token. */
export const compileClaims = (source: string, kind: ResultKind): Expression =>
  compileExpression(source, claimsEnvironment, TYPES[kind]);

/** A rule about the `user` that a token was mapped to. */
export const compileUser = (source: string): Expression => compileExpression(source, userEnvironment, TYPES.bool);

/** What a compiled expression comes to, as JSON. Throws an Error with CEL's reason. */
export function evaluate({ source, program, error }: Expression, name: 'claims' | 'user', value: object): unknown {
  if (!program) throw new Error(`expression '${source}': ${error}`);
  const result = program.evaluate({ [name]: fromJson(value) }).value;
  if (result instanceof CelError) throw new Error(`expression '${source}' resulted in error: ${result.message}`);
  return toJson(result);
}

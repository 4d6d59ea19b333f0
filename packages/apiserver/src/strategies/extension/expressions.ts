import { type FieldError, field, type MatchCondition, type Variable } from '@vireo/api';
import { qualifiedNameErrors } from '@vireo/api/names.ts';
import { admissionEnvironment, VariableTypes } from '../../admission/expressions/environment.ts';
import { compileExpression } from '../../admission/expressions/expression.ts';
import { BOOL, type CelType, type Environment } from '../../cel/index.ts';
import { duplicates, each, invalidFor, requiredText } from '../fields.ts';

const MAX_MATCH_CONDITIONS = 64;
const MAX_EXPRESSIONS_BYTES = 256 * 1024;

/** Compiling takes time in proportion to the length of expressions, and holds everything else up meanwhile. */
export function expressionsTooLong(path: string, expressions: readonly (string | undefined)[]): FieldError[] {
  const bytes = expressions.reduce((sum, expression) => sum + Buffer.byteLength(expression ?? ''), 0);
  if (bytes <= MAX_EXPRESSIONS_BYTES) return [];
  const text = `Too long: the expressions may not be more than ${MAX_EXPRESSIONS_BYTES} bytes together`;
  return [{ type: 'FieldValueTooLong', field: path, text }];
}

/** Why an expression is refused: it does not compile, or gives a value of a wrong type. */
export function expressionErrors(
  path: string,
  source: string,
  environment: Environment,
  types?: readonly CelType[],
  asWritten = source,
): FieldError[] {
  const { error } = compileExpression(source, environment, types);
  return error === undefined ? [] : [field.invalid(path, asWritten, error)];
}

/** The match conditions of a webhook or a policy. */
export function validateMatchConditions(
  conditions: readonly MatchCondition[] | undefined,
  path: string,
  params = false,
): FieldError[] {
  if (!conditions?.length) return [];
  const environment = admissionEnvironment({ params, authorizer: true });
  return [
    ...(conditions.length > MAX_MATCH_CONDITIONS ? [field.tooMany(path, conditions.length, MAX_MATCH_CONDITIONS)] : []),
    ...each(conditions, path, ({ name, expression }, at) => {
      const source = (expression ?? '').trim();
      return [
        ...(source
          ? expressionErrors(`${at}.expression`, source, environment, [BOOL])
          : [field.required(`${at}.expression`)]),
        ...requiredText(`${at}.name`, name, qualifiedNameErrors),
      ];
    }),
    ...duplicates(
      conditions,
      ({ name }) => name,
      (index) => `${path}[${index}].name`,
    ),
  ];
}

const IDENTIFIER = /^[_a-zA-Z][_a-zA-Z0-9]*$/;
const RESERVED = new Set(
  (
    'true false null in as break const continue else for function if import let loop package namespace return ' +
    'var void while'
  ).split(' '),
);

/** The errors of a policy's variables, and their types for the other expressions. */
export function validateVariables(
  variables: readonly Variable[] | undefined,
  path: string,
  params: boolean,
): { errors: FieldError[]; types: VariableTypes } {
  const types = new VariableTypes();
  const environment = types.declareIn(admissionEnvironment({ params, authorizer: true }));
  const errors = each(variables, path, ({ name, expression }, at) => {
    const nameErrors = variableNameErrors(name, `${at}.name`);
    if (!expression?.trim()) return [...nameErrors, field.required(`${at}.expression`, 'expression is not specified')];
    const { program, error } = compileExpression(expression, environment);
    types.add(name, program?.type);
    return [...nameErrors, ...(error === undefined ? [] : [field.invalid(`${at}.expression`, expression, error)])];
  });
  return { errors, types };
}

function variableNameErrors(name: string | undefined, path: string): FieldError[] {
  if (!name?.trim()) return [field.required(path, 'name is not specified')];
  if (IDENTIFIER.test(name) && !RESERVED.has(name)) return [];
  return invalidFor(path, name, ['name is not a valid CEL identifier']);
}

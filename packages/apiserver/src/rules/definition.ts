/** What a CustomResourceDefinition is refused for because of its rules (`x-kubernetes-validations`). */
import { type FieldError, field, fieldError, type Schema } from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import type { ValidationRule } from '@vireo/api/schema.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import { type SchemaType, schemaTypeOf } from '../cel/index.ts';
import { type Allowance, newAllowance } from './allowance.ts';
import { type CompiledRule, compileRules, maxOccurrences, worstCost } from './compile.ts';
import { CostTotal, tooDear } from './costTotal.ts';
import { fieldPathBelow } from './fieldPath.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** What is wrong with a rule before it is compiled. */
function textErrors(rule: ValidationRule, path: string, schema: Schema): FieldError[] {
  const { message = '', messageExpression = '', reason, fieldPath = '' } = rule;
  const text = (rule.rule ?? '').trim();
  const errors: FieldError[] = [];
  if (text === '') errors.push(field.required(`${path}.rule`, 'rule is not specified'));
  else if (message !== '' && message.trim() === '')
    errors.push(field.invalid(`${path}.message`, message, 'must be non-empty if specified'));
  else if (hasBreaks(message.trim()))
    errors.push(field.invalid(`${path}.message`, message, 'must not contain line breaks'));
  else if (hasBreaks(text) && message.trim() === '')
    errors.push(field.required(`${path}.message`, 'message must be specified if rule contains line breaks'));
  if (messageExpression !== '' && messageExpression.trim() === '')
    errors.push(field.required(`${path}.messageExpression`, 'messageExpression must be non-empty if specified'));
  if (reason !== undefined && !REASONS.includes(reason))
    errors.push(field.notSupported(`${path}.reason`, reason, REASONS));
  if (fieldPath !== '' && fieldPath.trim() === '')
    errors.push(field.invalid(`${path}.fieldPath`, fieldPath, 'must be non-empty if specified'));
  if (hasBreaks(fieldPath)) errors.push(field.invalid(`${path}.fieldPath`, fieldPath, 'must not contain line breaks'));
  if (fieldPath !== '' && fieldPathBelow(schema, fieldPath) === undefined)
    errors.push(field.invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
}

/** Rules that say too little and, where the schema is good otherwise, those that do not compile or cost too much. */
export function ruleErrors(
  json: JSONSchemaProps,
  path: string,
  isGood: boolean,
  allowance: Allowance = newAllowance(),
): FieldError[] {
  const schema = schemaFromJson(json);
  if (!hasRules(schema)) return [];
  const found: Found = { text: [], compiled: [], total: new CostTotal(), allowance };
  visit(schema, { path, isResource: true, occurrences: 1 }, found, isGood);
  return [...found.text, ...found.compiled, ...found.total.errors(path)];
}

interface Found {
  readonly text: FieldError[];
  readonly compiled: FieldError[];
  readonly total: CostTotal;
  readonly allowance: Allowance;
}

/** From the bottom up. Rules are compiled where nothing is wrong with the text of these and of those below. */
function visit(node: Schema, at: Place, found: Found, compiles: boolean): void {
  const before = found.text.length;
  for (const [child, place] of childrenOf(node, at)) visit(child, place, found, compiles);
  for (const [i, rule] of (node.validations ?? []).entries())
    found.text.push(...textErrors(rule, `${at.path}.x-kubernetes-validations[${i}]`, node));
  if (compiles && node.validations?.length && found.text.length === before)
    found.compiled.push(...nodeErrors(node, at, found));
}

/** Whether the schema or one inside it has rules. */
export function hasRules({ validations, items, values, properties = {} }: Schema): boolean {
  if (validations && validations.length > 0) return true;
  if ((items && hasRules(items)) || (values && hasRules(values))) return true;
  return Object.values(properties).some((property) => hasRules(property.schema));
}

/** Where a node of the schema stands. */
interface Place {
  readonly path: string;
  readonly isResource: boolean;
  /** How often its values can occur; undefined: as often as they fit into a request. */
  readonly occurrences?: number;
  /** The list around it whose elements cannot be told apart, so that there is no old value. */
  readonly uncorrelatable?: string;
}

function* childrenOf(node: Schema, at: Place): Generator<[Schema, Place]> {
  const below = (schema: Schema, path: string, uncorrelatable?: string): [Schema, Place] => {
    const occurrences = multiplied(at.occurrences, elementsOf(node));
    const inherited = at.uncorrelatable ?? uncorrelatable;
    const place = {
      path,
      isResource: schema.embeddedResource === true,
      ...(occurrences !== undefined && { occurrences }),
      ...(inherited !== undefined && { uncorrelatable: inherited }),
    };
    return [schema, place];
  };
  const { values, properties = {}, items } = node;
  if (values) yield below(values, `${at.path}.additionalProperties`);
  for (const [name, { schema }] of Object.entries(properties)) yield below(schema, `${at.path}.properties[${name}]`);
  if (items) yield below(items, `${at.path}.items`, node.listType === 'map' ? undefined : at.path);
}

/** How many values of its children one value can have; undefined: any number. */
function elementsOf({ type, values, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'object' && values) return maxProperties === undefined ? undefined : Math.max(maxProperties, 0);
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(maxItems, 0);
  return 1;
}

const multiplied = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.min(a * b, Number.MAX_SAFE_INTEGER);

function nodeErrors(node: Schema, at: Place, { total, allowance }: Found): FieldError[] {
  const rulesPath = `${at.path}.x-kubernetes-validations`;
  const type = schemaTypeOf(node, 'selfType', at.isResource);
  if (!type) {
    const why =
      'internal error: failed to construct type information for x-kubernetes-validations rules: unable to convert structural schema to CEL declarations';
    return [fieldError(rulesPath, `Internal error: ${why}`, 'InternalError')];
  }
  const occurrences = at.occurrences ?? maxOccurrences(type);
  return compileRules(node, type, allowance).flatMap((compiled, i) => [
    ...costErrors(compiled, type, occurrences, `${rulesPath}[${i}]`, total),
    ...compileErrors(compiled, at, `${rulesPath}[${i}]`),
  ]);
}

function costErrors(
  { program, message, messageError }: CompiledRule,
  type: SchemaType,
  occurrences: number,
  path: string,
  total: CostTotal,
): FieldError[] {
  const errors: FieldError[] = [];
  const count = (what: string, at: string, cost: number) => {
    const error = tooDear(what, cost);
    if (error !== undefined) errors.push(field.forbidden(at, error));
    total.add(at, cost);
  };
  if (program) count('estimated rule cost', `${path}.rule`, worstCost(program, type) * occurrences);
  if (message && messageError === undefined)
    count('estimated messageExpression cost', `${path}.messageExpression`, worstCost(message, type));
  return errors;
}

function compileErrors(
  { rule, error, messageError, usesOldSelf }: CompiledRule,
  at: Place,
  path: string,
): FieldError[] {
  const errors: FieldError[] = [];
  const refuse = (where: string, why: string) =>
    errors.push(fieldError(`${path}.${where}`, `Invalid value: ${shownRule(rule)}: ${why}`));
  if (error !== undefined) refuse('rule', error);
  if (messageError !== undefined) refuse('messageExpression', messageError);
  if (usesOldSelf && at.uncorrelatable !== undefined) {
    const why = `oldSelf cannot be used on the uncorrelatable portion of the schema within ${at.uncorrelatable}`;
    errors.push(field.invalid(`${path}.rule`, rule.rule, why));
  } else if (!usesOldSelf && rule.optionalOldSelf !== undefined) {
    const why = 'may not be set if oldSelf is not used in rule';
    errors.push(field.invalid(`${path}.optionalOldSelf`, rule.optionalOldSelf, why));
  }
  return errors;
}

/** A rule as Go prints it in errors: all fields, and HTML escaped. */
function shownRule(rule: ValidationRule): string {
  const { message = '', messageExpression = '', reason = null, fieldPath = '', optionalOldSelf = null } = rule;
  return JSON.stringify({
    Rule: rule.rule,
    Message: message,
    MessageExpression: messageExpression,
    Reason: reason,
    FieldPath: fieldPath,
    OptionalOldSelf: optionalOldSelf,
  }).replaceAll(/[<>&\u2028\u2029]/g, (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** What a CustomResourceDefinition is refused for because of its rules (`x-kubernetes-validations`). */
import { type FieldError, field, fieldError, type Schema } from '@vireo/api';
import { own } from '@vireo/api/json.ts';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import type { ValidationRule } from '@vireo/api/schema.ts';
import { schemaFromJson } from '@vireo/api/schemaFromJson.ts';
import { type SchemaType, schemaTypeOf } from '../cel/index.ts';
import type { Allowance } from './allowance.ts';
import { type CompiledRule, compileRules, maxOccurrences, worstCost } from './compile.ts';
import { CostTotal, tooDear } from './costTotal.ts';
import { jsonFieldPath } from './fieldPath.ts';
import { goForm } from './goForm.ts';

const REASONS = ['FieldValueDuplicate', 'FieldValueForbidden', 'FieldValueInvalid', 'FieldValueRequired'];

const hasBreaks = (text: string): boolean => /[\n\r]/.test(text);

/** What is wrong with the rules of a schema before they are compiled. */
export const ruleTextErrors = (schema: JSONSchemaProps, path: string): FieldError[] =>
  (schema['x-kubernetes-validations'] ?? []).flatMap((rule, i) =>
    textErrors(rule, `${path}.x-kubernetes-validations[${i}]`, schema),
  );

function textErrors(rule: ValidationRule, path: string, schema: JSONSchemaProps): FieldError[] {
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
  if (fieldPath !== '' && typeof jsonFieldPath(schema, fieldPath) === 'string')
    errors.push(field.invalid(`${path}.fieldPath`, fieldPath, 'must be a valid path'));
  return errors;
}

/** What all rules of a definition share. */
interface Shared {
  readonly total: CostTotal;
  readonly allowance: Allowance;
}

/** A node of a definition's schema, whose rules can be compiled. */
export class RuleContext {
  readonly #node: Schema;
  readonly #at: Place;
  readonly #shared: Shared;

  constructor(node: Schema, at: Place, shared: Shared) {
    this.#node = node;
    this.#at = at;
    this.#shared = shared;
  }

  static root(schema: JSONSchemaProps, path: string, allowance: Allowance): RuleContext {
    const shared = { total: new CostTotal(), allowance };
    return new RuleContext(schemaFromJson(schema), { path, isResource: true, occurrences: 1 }, shared);
  }

  /** The values of a map. */
  values(): RuleContext | undefined {
    return this.#below(this.#node.values, 'additionalProperties');
  }

  property(name: string): RuleContext | undefined {
    const { properties = {} } = this.#node;
    return this.#below(own(properties, name)?.schema, `properties[${name}]`);
  }

  items(): RuleContext | undefined {
    const { items, listType } = this.#node;
    return this.#below(items, 'items', listType === 'map' ? undefined : this.#at.path);
  }

  #below(schema: Schema | undefined, name: string, uncorrelatable?: string): RuleContext | undefined {
    if (!schema) return undefined;
    const occurrences = multiplied(this.#at.occurrences, elementsOf(this.#node));
    const inherited = this.#at.uncorrelatable ?? uncorrelatable;
    const place = {
      path: `${this.#at.path}.${name}`,
      isResource: schema.embeddedResource === true,
      ...(occurrences !== undefined && { occurrences }),
      ...(inherited !== undefined && { uncorrelatable: inherited }),
    };
    return new RuleContext(schema, place, this.#shared);
  }

  /** Rules of this node that do not compile or cost too much. */
  errors(): FieldError[] {
    return this.#node.validations?.length ? nodeErrors(this.#node, this.#at, this.#shared) : [];
  }

  /** What is wrong with all rules together; asked last. */
  totalErrors(): FieldError[] {
    return this.#shared.total.errors(this.#at.path);
  }
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

/** How many values of its children one value can have; undefined: any number. */
function elementsOf({ type, values, maxProperties, maxItems }: Schema): number | undefined {
  if (type === 'object' && values) return maxProperties === undefined ? undefined : Math.max(maxProperties, 0);
  if (type === 'array') return maxItems === undefined ? undefined : Math.max(maxItems, 0);
  return 1;
}

const multiplied = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : Math.min(a * b, Number.MAX_SAFE_INTEGER);

function nodeErrors(node: Schema, at: Place, { total, allowance }: Shared): FieldError[] {
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
  const refuse = (where: string, why: string) => errors.push(field.invalid(`${path}.${where}`, goForm(rule), why));
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

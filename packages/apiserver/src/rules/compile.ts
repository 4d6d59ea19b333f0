import type { Schema } from '@vireo/api';
import type { ValidationRule } from '@vireo/api/schema.ts';
import {
  BOOL,
  COST_EXCEEDED,
  type Environment,
  kubernetes,
  optionalType,
  type Program,
  type SchemaType,
  STRING,
  sizeAt,
  structsOf,
} from '../cel/index.ts';
import { MAX_REQUEST_BYTES } from '../cel/schema/types.ts';
import type { Allowance } from './allowance.ts';
import { fieldPathBelow } from './fieldPath.ts';

/** A rule, ready to be run, or what is wrong with it. */
export interface CompiledRule {
  readonly rule: ValidationRule;
  readonly program?: Program;
  /** Why there is no program. */
  readonly error?: string;
  /** Whether it compares with the value before. */
  readonly usesOldSelf: boolean;
  readonly message?: Program;
  readonly messageError?: string;
  /** Where its errors are reported, below the node that it stands at. */
  readonly fieldPath?: string;
}

/** Compiles the rules of one node of a schema, whose values expressions see as `type`. */
export function compileRules(schema: Schema, type: SchemaType, allowance?: Allowance): CompiledRule[] {
  const structs = structsOf(type);
  const plain = kubernetes.extend({ variables: { self: type.type, oldSelf: type.type }, structs });
  const optional = kubernetes.extend({ variables: { self: type.type, oldSelf: optionalType(type.type) }, structs });
  return (schema.validations ?? []).map((rule) =>
    isTooLong(rule, allowance)
      ? { rule, usesOldSelf: false, error: 'the rules of the definition are too long together' }
      : compileRule(schema, rule, rule.optionalOldSelf ? optional : plain),
  );
}

function isTooLong({ rule, messageExpression = '' }: ValidationRule, allowance: Allowance | undefined): boolean {
  if (!allowance) return false;
  allowance.text -= rule.length + messageExpression.length;
  return allowance.text < 0;
}

function compileRule(schema: Schema, rule: ValidationRule, environment: Environment): CompiledRule {
  if (rule.rule.trim() === '') return { rule, usesOldSelf: false };
  const { program, error } = compileTo(environment, rule.rule, BOOL, '', 'cel expression must evaluate to a bool');
  const usesOldSelf = program?.references.has('oldSelf') ?? false;
  if (!program) return { rule, usesOldSelf, ...(error !== undefined && { error }) };
  const fieldPath = rule.fieldPath ? fieldPathBelow(schema, rule.fieldPath) : undefined;
  const common = { rule, program, usesOldSelf, ...(fieldPath !== undefined && { fieldPath }) };
  if (!rule.messageExpression) return common;
  const prefix = 'messageExpression ';
  const message = compileTo(
    environment,
    rule.messageExpression,
    STRING,
    prefix,
    'messageExpression must evaluate to a string',
  );
  return {
    ...common,
    ...(message.program && { message: message.program }),
    ...(message.error !== undefined && { messageError: message.error }),
  };
}

function compileTo(
  environment: Environment,
  source: string,
  type: typeof BOOL,
  prefix: string,
  wrongType: string,
): { program?: Program; error?: string } {
  const { program, issues } = environment.compile(source);
  if (!program) return { error: `${prefix}compilation failed: ${issues}` };
  if (program.type !== type) return { error: wrongType };
  if (program.failure !== undefined)
    return { error: `${prefix === '' ? 'program ' : prefix}instantiation failed: ${program.failure}` };
  return { program };
}

/** What a run of the rule can cost at worst. */
export const worstCost = (program: Program, type: SchemaType): number =>
  program.estimateCost((path) => sizeAt(type, path.slice(1)));

/** How often values of a type can occur in one request, where nothing else bounds them. */
export const maxOccurrences = ({ minBytes }: SchemaType): number => Math.floor(MAX_REQUEST_BYTES / (minBytes + 1));

/** Whether a run ended because it cost too much. */
export const isTooDear = (message: string): boolean => message.startsWith(COST_EXCEEDED);

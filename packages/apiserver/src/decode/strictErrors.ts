import type { Schema } from '@vireo/api';
import { own, scanJson } from '@vireo/api/json.ts';
import { isOpaque } from '../schema/alternatives.ts';
import { goQuoted } from '../schema/goNames.ts';
import { byKeys } from '../schema/path.ts';
import type { DecodedBody } from './body.ts';

type Found = Pick<DecodedBody, 'strictErrors' | 'json' | 'order'>;

/** How many fields are looked at closely: far more than are reported. */
const MAX_ERRORS = 1000;

const unknownField = (path: string): string => `unknown field ${goQuoted(path)}`;

/**
 * What a strict reader refuses in a body of a built-in kind. Go meets unknown and repeated fields in one pass over JSON,
 * so they are reported as they appear, and looks no further into what it does not know or keeps as it is. YAML is first
 * searched for repeated keys, and then read as JSON with sorted ones.
 */
export function typedStrictErrors(
  { strictErrors, json, order = 'document' }: Found,
  unknownFields: readonly string[],
  schema: Schema,
): string[] {
  if (order === 'text') return [...strictErrors, ...unknownFields.map(unknownField).sort()];
  if (order === 'keys') return [...strictErrors, ...[...unknownFields].sort(byKeys).map(unknownField)];
  if (json === undefined || strictErrors.length === 0) return [...strictErrors, ...unknownFields.map(unknownField)];
  const unknown = new Set(unknownFields);
  // A path is long where the nesting is deep: it is only looked up where its last step may be that of an unknown field.
  const lastSteps = new Set(unknownFields.map(lastStep));
  const errors = new Set<string>();
  let left = MAX_ERRORS;
  scanJson(json, undefined, (key, isRepeated, pathOf, stepsOf) => {
    if (!isRepeated && !lastSteps.has(lastStep(key))) return undefined;
    if (left-- <= 0) return 'stop';
    const path = pathOf();
    const isUnknown = unknown.has(path);
    if (isUnknown) errors.add(unknownField(path));
    else if (isRepeated && !isWithinOpaque(schema, stepsOf())) errors.add(`duplicate field ${goQuoted(path)}`);
    return isUnknown ? 'skip' : undefined;
  });
  return [...errors];
}

const lastStep = (path: string): string => path.slice(path.lastIndexOf('.') + 1);

/** Whether what holds the field is kept as text, or read by code of its own that is not strict. */
function isWithinOpaque(root: Schema, steps: readonly (string | number)[]): boolean {
  let schema: Schema | undefined = root;
  for (const step of steps) {
    if (schema && isOpaque(schema)) return true;
    schema = schema && childOf(schema, step);
  }
  return false;
}

const childOf = ({ items, properties = {}, values }: Schema, step: string | number): Schema | undefined =>
  typeof step === 'number' ? items : (own(properties, step)?.schema ?? values);

/** The same for a custom resource, which is read as a map first and compared with its schema then. */
export const customStrictErrors = (
  { strictErrors }: Pick<DecodedBody, 'strictErrors'>,
  unknownFields: readonly string[],
): string[] => [...strictErrors, ...unknownFields.map((path) => `unknown field "${path}"`)];

/** The parts of a version beside its schema. */
import {
  type CustomResourceColumnDefinition,
  type CustomResourceSubresources,
  type FieldError,
  field,
  type SelectableField,
} from '@vireo/api';
import type { JSONSchemaProps } from '@vireo/api/kinds/apiextensions/jsonSchemaProps.ts';
import { jsonFieldPath } from '../../rules/fieldPath.ts';
import { each } from '../../strategies/fields.ts';
import { conversionError } from './conversionError.ts';

const COLUMN_TYPES = ['boolean', 'date', 'integer', 'number', 'string'];
const COLUMN_FORMATS = ['byte', 'date', 'date-time', 'double', 'float', 'int32', 'int64', 'password'];
const MAX_SELECTABLE_FIELDS = 8;
const MAX_WARNING_BYTES = 256;

/** What is wrong with additional printer columns. */
export function columnErrors(columns: readonly CustomResourceColumnDefinition[] | undefined, path: string) {
  const outOf = (supported: readonly string[]): string => `must be one of ${supported.join(',')}`;
  return each(columns, path, ({ name, type, format, jsonPath }, at) => {
    const errors: FieldError[] = [];
    if (!name) errors.push(field.required(`${at}.name`));
    if (!type) errors.push(field.required(`${at}.type`, outOf(COLUMN_TYPES)));
    else if (!COLUMN_TYPES.includes(type)) errors.push(field.invalid(`${at}.type`, type, outOf(COLUMN_TYPES)));
    if (format && !COLUMN_FORMATS.includes(format)) {
      errors.push(field.invalid(`${at}.format`, format, outOf(COLUMN_FORMATS)));
    }
    return [...errors, ...pathErrors(jsonPath, `${at}.JSONPath`)];
  });
}

/** A path that must be there, and begin like one. */
function pathErrors(value: string | undefined, path: string): FieldError[] {
  if (!value) return [field.required(path)];
  return value.startsWith('.') ? [] : [field.invalid(path, value, 'must be a simple json path starting with .')];
}

/** What is wrong with the paths of the scale subresource. */
export function subresourceErrors(subresources: CustomResourceSubresources | undefined, path: string): FieldError[] {
  const scale = subresources?.scale;
  if (!scale) return [];
  const { specReplicasPath, statusReplicasPath, labelSelectorPath } = scale;
  const at = `${path}.scale`;
  return [
    ...pathBelow(specReplicasPath, ['.spec'], '.spec', `${at}.specReplicasPath`),
    ...pathBelow(statusReplicasPath, ['.status'], '.status', `${at}.statusReplicasPath`),
    ...(labelSelectorPath
      ? pathBelow(labelSelectorPath, ['.spec', '.status'], 'either .spec or .status', `${at}.labelSelectorPath`)
      : []),
  ];
}

function pathBelow(value: string | undefined, roots: readonly string[], names: string, path: string): FieldError[] {
  const errors = pathErrors(value, path);
  if (errors.length > 0 || roots.some((root) => value?.startsWith(`${root}.`))) return errors;
  return [field.invalid(path, value, `should be a json path under ${names}`)];
}

/**
 * What is wrong with selectable fields.
 * @param mayBeMany whether there were too many already
 */
export function selectableFieldErrors(
  selectable: readonly SelectableField[],
  schema: JSONSchemaProps,
  path: string,
  mayBeMany: boolean,
): FieldError[] {
  const seen = new Set<string>();
  const errors = each(selectable, path, ({ jsonPath }, at) => {
    const errorsOfOne: FieldError[] = [];
    if (!jsonPath) return [field.required(`${at}.jsonPath`)];
    const refuse = (why: string) => errorsOfOne.push(field.invalid(`${at}.jsonPath`, jsonPath, why));
    const found = jsonFieldPath(schema, jsonPath, false);
    if (typeof found === 'string') {
      refuse(`is an invalid path: ${found}`);
      return errorsOfOne;
    }
    if (/^metadata(\.|\[|$)/.test(found.path)) refuse('must not point to fields in metadata');
    if (!['string', 'boolean', 'integer'].includes(found.node.type ?? '')) {
      const types = 'must point to a field of type string, boolean or integer.';
      refuse(`${types} Enum string fields and strings with formats are allowed.`);
    }
    if (seen.has(found.path)) errorsOfOne.push(field.duplicate(`${at}.jsonPath`, jsonPath));
    seen.add(found.path);
    return errorsOfOne;
  });
  const isTooMany = seen.size > MAX_SELECTABLE_FIELDS && !mayBeMany;
  return isTooMany ? [...errors, field.tooMany(path, seen.size, MAX_SELECTABLE_FIELDS)] : errors;
}

/** A schema that selectable fields cannot be looked up in. */
export function unselectable(schema: JSONSchemaProps, path: string): FieldError[] {
  const why = conversionError(schema);
  return why === undefined ? [] : [field.invalid(path, '', why)];
}

/** What is wrong with the deprecation warning of a version. */
export function deprecationErrors(
  { deprecated, deprecationWarning: text }: { deprecated?: boolean; deprecationWarning?: string | undefined },
  path: string,
): FieldError[] {
  if (text === undefined) return [];
  const at = `${path}.deprecationWarning`;
  const refuse = (why: string): FieldError => field.invalid(at, text, why);
  if (!deprecated) return [refuse('can only be set for deprecated versions')];
  const errors: FieldError[] = [];
  if (Buffer.byteLength(text) > MAX_WARNING_BYTES) errors.push(refuse('must be <= 256 characters long'));
  if (text === '') errors.push(refuse('must not be an empty string'));
  const before = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*/u.exec(text)?.[0] ?? '';
  if (before !== text) {
    const why = 'must only contain printable UTF-8 characters; non-printable character found at index';
    errors.push(refuse(`${why} ${Buffer.byteLength(before)}`));
  }
  return errors;
}

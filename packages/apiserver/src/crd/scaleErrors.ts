import { type FieldError, field, type UnknownObject } from '@vireo/api';
import { isObject, own } from '@vireo/api/json.ts';
import { goText } from '../goText.ts';
import type { CrdVersion } from './types.ts';

type Scale = NonNullable<NonNullable<CrdVersion['subresources']>['scale']>;

const MAX_REPLICAS = 2 ** 31 - 1;

/** What is wrong with the numbers that the scale of a custom resource shows. */
export const scaleErrors = (
  { specReplicasPath, statusReplicasPath, labelSelectorPath }: Scale,
  object: UnknownObject,
): FieldError[] => [
  ...replicasErrors(object, specReplicasPath),
  ...replicasErrors(object, statusReplicasPath),
  ...(labelSelectorPath ? typeErrors(object, labelSelectorPath, 'string', '') : []),
];

function replicasErrors(object: UnknownObject, path: string): FieldError[] {
  const errors = typeErrors(object, path, 'int64', 0);
  if (errors.length > 0) return errors;
  const replicas = Number(found(object, path).value ?? 0);
  if (replicas < 0) return [field.invalid(path, replicas, 'should be a non-negative integer')];
  if (replicas > MAX_REPLICAS)
    return [field.invalid(path, replicas, `should be less than or equal to ${MAX_REPLICAS}`)];
  return [];
}

function typeErrors(object: UnknownObject, path: string, type: 'int64' | 'string', zero: unknown): FieldError[] {
  const { value, isInside } = found(object, path);
  if (value === undefined && isInside) return [];
  const wanted = isInside ? type : 'map[string]interface{}';
  if (isInside && goType(value) === type) return [];
  const at = `.${path.replace(/^\./, '')}`;
  return [
    field.invalid(
      path,
      zero,
      `${at} accessor error: ${goText(value)} is of the type ${goType(value)}, expected ${wanted}`,
    ),
  ];
}

/** The value at a path, or what is in the way to it. */
function found(object: UnknownObject, path: string): { value: unknown; isInside: boolean } {
  let value: unknown = object;
  for (const name of path.replace(/^\./, '').split('.')) {
    if (!isObject(value)) return { value, isInside: value === undefined };
    value = own(value, name);
  }
  return { value, isInside: true };
}

function goType(value: unknown): string {
  if (typeof value === 'number') return Number.isInteger(value) ? 'int64' : 'float64';
  if (typeof value === 'boolean') return 'bool';
  if (Array.isArray(value)) return '[]interface {}';
  if (value === null) return '<nil>';
  return isObject(value) ? 'map[string]interface {}' : typeof value;
}

import type { Property } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

/**
 * Whether a value says the same as leaving the field out. Go holds most scalars by value: it cannot tell a zero from
 * nothing, leaves both out of JSON and writes both to protobuf. Those held by a pointer keep their zeros
 * (`replicas: 0`, `automountServiceAccountToken: false`), and so do fields that are always written. Lists and maps
 * without entries are left out as well; structs (`emptyDir: {}`) are not.
 */
export function meansAbsent(value: unknown, { required, pointer, schema }: Property): boolean {
  if (required || pointer || schema.protoMessage) return false;
  if (Array.isArray(value)) return value.length === 0;
  if (schema.values && isObject(value)) return Object.keys(value).length === 0;
  return value === '' || value === 0 || value === false;
}

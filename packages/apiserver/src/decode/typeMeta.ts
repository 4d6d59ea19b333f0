import { isObject } from '@vireo/api/json.ts';
import { goJsonKind } from '../schema/goNames.ts';

/** Go reads the two names that every object has into this, before anything else. */
const TYPE_META =
  'struct { APIVersion string "json:\\"apiVersion,omitempty\\""; Kind string "json:\\"kind,omitempty\\"" }';

/** What Go says of a body in which it cannot look for the kind; undefined where it can. Null is an empty object. */
export function typeMetaError(value: unknown): string | undefined {
  if (value === null) return undefined;
  if (!isObject(value)) return `json: cannot unmarshal ${goJsonKind(value)} into Go value of type ${TYPE_META}`;
  const wrong = ['apiVersion', 'kind'].find((name) => value[name] != null && typeof value[name] !== 'string');
  if (wrong === undefined) return undefined;
  return `json: cannot unmarshal ${goJsonKind(value[wrong])} into Go struct field .${wrong} of type string`;
}

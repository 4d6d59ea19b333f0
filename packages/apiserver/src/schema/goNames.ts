import type { Schema } from '@vireo/api';

/** How Go would call the type of a schema, for messages that read like Kubernetes' own. */
export function goType(schema: Schema): string {
  if (schema.name) return goName(schema.name, true);
  switch (schema.type) {
    case 'array':
      return schema.format === 'byte' ? '[]uint8' : `[]${goType(schema.items ?? {})}`;
    case 'object':
      return schema.values ? `map[string]${goType(schema.values)}` : 'map[string]interface {}';
    case 'integer':
      return schema.format === 'int64' ? 'int64' : 'int32';
    case 'number':
      return 'float64';
    case 'boolean':
      return 'bool';
    default:
      return schema.format === 'byte' ? '[]uint8' : 'string';
  }
}

/** `io.k8s.api.core.v1.PodSpec` is `v1.PodSpec` with its package, `PodSpec` without. */
export function goName(name: string, withPackage: boolean): string {
  const parts = name.split('.');
  return parts.slice(withPackage ? -2 : -1).join('.');
}

/** What Go's decoder calls a JSON value. */
export function goJsonKind(value: unknown): string {
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return 'number';
  if (typeof value === 'boolean') return 'bool';
  return typeof value;
}

/** A text in the quotes that Go puts around it. */
export const goQuoted = (text: string): string => JSON.stringify(text).replaceAll(/\\u00([0-9a-f]{2})/g, '\\x$1');

/** What Go's decoder says of a value that should be an object. */
export const notAMap = (value: unknown): string =>
  `json: cannot unmarshal ${goJsonKind(value)} into Go value of type map[string]interface {}`;

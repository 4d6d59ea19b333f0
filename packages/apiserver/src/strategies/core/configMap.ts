import { type ConfigMap, type FieldError, field } from '@vireo/api';
import { defineStrategy } from '../define.ts';
import { invalidFor } from '../fields.ts';
import { sameValue } from '../immutable.ts';
import { configKeyErrors } from '../names.ts';

const MAX_BYTES = 1024 * 1024;

export const configMapStrategy = defineStrategy<ConfigMap>({
  validate({ data = {}, binaryData = {} }) {
    const bytes =
      Object.values(data).reduce((sum, text) => sum + Buffer.byteLength(text), 0) +
      Object.values(binaryData).reduce((sum, text) => sum + Buffer.byteLength(text, 'base64'), 0);
    return [
      ...Object.keys(data).flatMap((key) => [
        ...invalidFor(`data[${key}]`, key, configKeyErrors(key)),
        ...(Object.hasOwn(binaryData, key)
          ? [field.invalid(`data[${key}]`, key, 'duplicate of key present in binaryData')]
          : []),
      ]),
      ...Object.keys(binaryData).flatMap((key) => invalidFor(`binaryData[${key}]`, key, configKeyErrors(key))),
      ...(bytes > MAX_BYTES ? [field.tooLong('[]', MAX_BYTES)] : []),
    ];
  },

  validateUpdate: (configMap, old) =>
    old.immutable ? changedWhileImmutable(configMap, old, ['data', 'binaryData']) : [],
});

/** A Secret or ConfigMap that was declared immutable stays as it is, and stays immutable. */
export const changedWhileImmutable = <T extends { immutable?: boolean }>(
  object: T,
  old: T,
  parts: readonly (keyof T & string)[],
): FieldError[] => [
  ...(object.immutable ? [] : [field.forbidden('immutable', 'field is immutable when `immutable` is set')]),
  ...parts
    .filter((part) => !sameValue(object[part], old[part]))
    .map((part) => field.forbidden(part, 'field is immutable when `immutable` is set')),
];

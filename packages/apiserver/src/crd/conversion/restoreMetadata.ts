import type { ObjectMeta, UnknownObject } from '@vireo/api';
import { deepEqual, isObject } from '@vireo/api/json.ts';
import { validateAnnotations, validateLabels } from '@vireo/api/validateMeta.ts';

const TYPES: Readonly<Record<string, string>> = { string: 'string', number: 'float64', boolean: 'bool' };

/** How Go calls the type of a JSON value. */
const goType = (value: unknown): string => (Array.isArray(value) ? '[]interface {}' : (TYPES[typeof value] ?? '<nil>'));

/**
 * The metadata of a converted object: that of the original, but for labels and annotations, which a webhook may change.
 * Throws an Error in Kubernetes' words.
 */
export function restoredMetadata({ metadata: before }: UnknownObject, metadata: unknown): ObjectMeta {
  if (metadata === undefined) throw new Error('missing metadata in converted object');
  if (!isObject(metadata)) throw new Error(`invalid metadata of type ${goType(metadata)} in converted object`);
  const [labels, annotations] = [textsIn(metadata, 'labels'), textsIn(metadata, 'annotations')];
  const errors = [
    ...(labels && !deepEqual(labels, before.labels) ? validateLabels(labels, 'metadata.labels') : []),
    ...(annotations && !deepEqual(annotations, before.annotations)
      ? validateAnnotations(annotations, 'metadata.annotation')
      : []),
  ].map(({ field, text }) => `${field}: ${text}`);
  if (errors.length > 0) throw new Error(errors.length === 1 ? errors[0] : `[${errors.join(', ')}]`);
  const { labels: _, annotations: __, ...kept } = before;
  return { ...kept, ...(labels && { labels }), ...(annotations && { annotations }) };
}

function textsIn(
  metadata: Record<string, unknown>,
  name: 'labels' | 'annotations',
): Record<string, string> | undefined {
  const value = metadata[name];
  if (value === undefined || value === null) return undefined;
  if (!isObject(value)) throw new Error(`invalid metadata.${name} of type ${goType(value)} in converted object`);
  for (const [key, text] of Object.entries(value))
    if (typeof text !== 'string')
      throw new Error(`metadata.${name}[${key}] must be a string, but is ${goType(text)} in converted object`);
  return value as Record<string, string>;
}

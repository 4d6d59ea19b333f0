import type { KubeObject } from '../data/kinds.ts';

/** An object without what only server-side apply needs; identity first, as people write it. */
export function withoutManagedFields(object: KubeObject): object {
  const { apiVersion, kind, metadata, ...rest } = object;
  const { managedFields: _, ...others } = metadata as KubeObject['metadata'] & { managedFields?: unknown };
  return { apiVersion, kind, metadata: others, ...rest };
}

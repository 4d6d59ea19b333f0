import type { KubeObject } from '@vireo/api';

/** A patch that takes a finalizer off the object as it was seen; undefined where it has none. */
export function withoutFinalizer({ metadata }: KubeObject, finalizer: string): object | undefined {
  const { finalizers = [], resourceVersion } = metadata;
  if (!finalizers.includes(finalizer)) return undefined;
  return { metadata: { resourceVersion, finalizers: finalizers.filter((each) => each !== finalizer) } };
}

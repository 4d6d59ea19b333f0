import type { KubeObject, UnknownObject } from '@vireo/api';
import { deepEqual, isObject } from '@vireo/api/json.ts';

/** What of an object a node may change; all the rest stays as it is. */
export interface Changeable {
  readonly annotations?: readonly string[];
  /** Finalizers that it may remove; it adds none. */
  readonly finalizers?: readonly string[];
  readonly spec?: readonly string[];
  /** Missing: none. */
  readonly status?: readonly string[] | 'all';
}

/** Kept by the server, whatever somebody writes. */
const OF_SERVER = ['generation', 'managedFields', 'resourceVersion', 'uid'];

/** The first field that changes and may not; undefined where there is none. */
export function forbiddenChange(object: KubeObject, old: KubeObject, may: Changeable): string | undefined {
  const [now, before] = [object as UnknownObject, old as UnknownObject];
  return (
    metadataChange(now.metadata as object, before.metadata as object, may) ??
    (may.status === 'all' ? undefined : changedKey('status', now.status, before.status, may.status)) ??
    changedKey('spec', now.spec, before.spec, may.spec)
  );
}

function metadataChange(now: object, before: object, may: Changeable): string | undefined {
  const { annotations, finalizers, ...rest } = now as Record<string, unknown>;
  const { annotations: oldAnnotations, finalizers: oldFinalizers, ...oldRest } = before as Record<string, unknown>;
  return (
    changedKey('metadata', rest, oldRest, OF_SERVER) ??
    changedKey('metadata.annotations', annotations, oldAnnotations, may.annotations) ??
    (keepsFinalizers(list(finalizers), list(oldFinalizers), may.finalizers) ? undefined : 'metadata.finalizers')
  );
}

const list = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

const keepsFinalizers = (now: readonly unknown[], before: readonly unknown[], removable: readonly string[] = []) =>
  now.every((each) => before.includes(each)) &&
  before.every((each) => now.includes(each) || removable.includes(String(each)));

function changedKey(path: string, now: unknown, before: unknown, may: readonly string[] = []): string | undefined {
  const [current, old] = [isObject(now) ? now : {}, isObject(before) ? before : {}];
  const key = [...new Set([...Object.keys(current), ...Object.keys(old)])]
    .sort()
    .find((each) => !may.includes(each) && !deepEqual(current[each], old[each]));
  if (key === undefined) return undefined;
  return path === 'metadata.annotations' ? `${path}[${key}]` : `${path}.${key}`;
}

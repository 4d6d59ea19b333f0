import type { LogSubject } from '@vireo/kube';
import type { Registry } from './registry/registry.ts';
import { parseRequestInfo } from './requestInfo.ts';

/** What a request is about, for the log; undefined where that is no object that we know. */
export function requestSubject(registry: Pick<Registry, 'find'>, path: string): LogSubject | undefined {
  try {
    const info = parseRequestInfo('GET', path, new URLSearchParams());
    if (!info.isResource) return undefined;
    const { group, version, resource, namespace, name } = info;
    const kind = registry.find(group, version, resource)?.kind.kind ?? resource;
    return { kind, ...(namespace && { namespace }), name };
  } catch {
    // A path that is not properly escaped is about nothing.
    return undefined;
  }
}

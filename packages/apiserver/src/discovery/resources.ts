import { createHash } from 'node:crypto';
import type { ExtraSubresource, Kind } from '@vireo/api';
import type { Resource } from '../registry/resource.ts';

/** One entry of an APIResourceList. */
export interface ApiResource {
  name: string;
  singularName: string;
  namespaced: boolean;
  kind: string;
  group?: string;
  version?: string;
  verbs: string[];
  shortNames?: string[];
  categories?: string[];
  storageVersionHash?: string;
}

const STATUS_VERBS = ['get', 'patch', 'update'];

/** A resource and its subresources, as discovery lists them. */
export function apiResources(resource: Resource): ApiResource[] {
  const { kind } = resource;
  return [
    {
      name: kind.plural,
      singularName: kind.singular,
      namespaced: kind.namespaced,
      kind: kind.kind,
      verbs: kind.virtual ? ['create'] : [...kind.verbs].sort(),
      ...(kind.shortNames.length > 0 && { shortNames: [...kind.shortNames] }),
      ...(kind.categories.length > 0 && { categories: [...kind.categories] }),
      ...(!kind.virtual && { storageVersionHash: storageVersionHash(resource) }),
    },
    ...subresources(kind).map(({ name, verbs, kind: bodyKind, group, version }) => ({
      name: `${kind.plural}/${name}`,
      singularName: '',
      namespaced: kind.namespaced,
      kind: bodyKind ?? kind.kind,
      ...(group !== undefined && { group }),
      ...(version !== undefined && { version }),
      verbs: [...verbs],
    })),
  ];
}

/** Changes with what objects are stored as: migrators go by it. */
function storageVersionHash({ kind, conversion, storageVersion }: Resource): string {
  const stored = conversion?.storageKind ?? { ...kind, version: storageVersion ?? kind.version };
  const hash = createHash('sha256').update(`${stored.group}/${stored.version}/${stored.kind}`).digest();
  return hash.subarray(0, 8).toString('base64');
}

function subresources(kind: Kind): ExtraSubresource[] {
  const named = new Set(kind.subresources.map(({ name }) => name));
  const all = [...kind.subresources];
  if (kind.status && !named.has('status')) all.push({ name: 'status', verbs: STATUS_VERBS });
  if (kind.scale && !named.has('scale'))
    all.push({ name: 'scale', verbs: STATUS_VERBS, kind: 'Scale', group: 'autoscaling', version: 'v1' });
  return all.sort((a, b) => (a.name < b.name ? -1 : 1));
}

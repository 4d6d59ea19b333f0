import { ControllerRevision } from '@vireo/api';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import {
  type InstancetypeLookup,
  type InstancetypeOrPreference,
  MATCHER_FIELDS,
  MATCHER_KINDS,
  matcherKind,
} from '@vireo/hypervisor';
import { type Client, type Informers, type Keys, type ResourceRef, type Watch, watch } from '@vireo/kube';

/** The kinds that VMs can take settings from. */
const KINDS = MATCHER_FIELDS.flatMap((field) => [MATCHER_KINDS[field].namespaced, MATCHER_KINDS[field].cluster]);

export interface CachedTypes extends InstancetypeLookup {
  /** For a controller: which keys a type concerns that is new or has changed. `users` gets keys as in `typeKeys`. */
  watches(users: (typeKey: string) => Keys): Watch[];
}

/** Finds instance types in the cache; what is not there yet, on the server: a VM may be seen before its type is. */
export function cachedTypes(informers: Informers, client: Client): CachedTypes {
  const known = new Map(
    KINDS.map((kind) => [kind.plural, informers.for<InstancetypeOrPreference>(kind as ResourceRef)]),
  );
  const revisions = informers.for(ControllerRevision);
  return {
    watches: (users) =>
      [...known].map(([plural, informer]) =>
        watch(informer, { changed: ({ metadata }) => users(keyOf(plural, metadata.namespace, metadata.name)) }),
      ),
    object: async (kind, name, namespace) =>
      known.get(kind.plural)?.get(namespace ? `${namespace}/${name}` : name) ??
      client.of<InstancetypeOrPreference>(kind as ResourceRef).find(name, { namespace }),
    revision: async (name, namespace) =>
      revisions.get(`${namespace}/${name}`) ?? client.of(ControllerRevision).find(name, { namespace }),
  };
}

const keyOf = (plural: string, namespace: string | undefined, name: string | undefined): string =>
  [plural, namespace, name].filter(Boolean).join('/');

/** Keys of the types that a VM waits for: named, and not yet kept for it. */
export const typeKeys = ({ metadata, spec, status }: Vm): string[] =>
  MATCHER_FIELDS.flatMap((field) => {
    const matcher = spec[field];
    if (!matcher || status?.[`${field}Ref`]?.name === matcher.name) return [];
    try {
      const kind = matcherKind(field, matcher);
      return [keyOf(kind.plural, kind.namespaced ? metadata.namespace : undefined, matcher.name)];
    } catch {
      // A kind that there is not: nothing to wait for.
      return [];
    }
  });

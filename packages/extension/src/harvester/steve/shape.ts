import type { Persisted, UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { resourcePath } from '@vireo/kube';
import { stateOf, withConditionStates } from './state.ts';
import { STEVE_TYPES, type SteveType } from './types.ts';
import type { Urls } from './urls.ts';

/** Names that the Steve API takes for itself; an object's own fields of that name get an underscore. */
const RESERVED = ['id', 'type', 'links', 'actions'] as const;

/** Types whose objects Harvester's clients do not offer to edit: they do not change. */
const NOT_EDITED = new Set(['harvesterhci.io.virtualmachinetemplateversion', 'harvesterhci.io.keypair']);

/** What the one who asks may do with an object. */
export interface Possible {
  /** Of update, patch and delete. */
  readonly verbs: ReadonlySet<string>;
  readonly actions: readonly string[];
  readonly links: readonly string[];
}

/** An object as the Steve API shows it. `fields`: the cells of its row in a table. */
export function toSteveObject(
  type: SteveType,
  object: Persisted<UnknownObject>,
  fields: readonly unknown[],
  { verbs, actions, links }: Possible,
  urls: Urls,
): Record<string, unknown> {
  const { name, namespace } = object.metadata;
  const self = urls.object(type, namespace, name);
  const urlOfLink = (link: string): string => (namespace === undefined ? `${self}?link=${link}` : `${self}/${link}`);
  return {
    id: namespace === undefined ? name : `${namespace}/${name}`,
    type: type.id,
    links: {
      self,
      ...(verbs.has('update') && !NOT_EDITED.has(type.id) && { update: self }),
      ...(verbs.has('delete') && { remove: self }),
      ...(verbs.has('patch') && { patch: self }),
      view: urls.view(resourcePath(type.kind, { namespace, name })),
      ...Object.fromEntries(links.map((link) => [link, urlOfLink(link)])),
    },
    ...(actions.length > 0 && { actions: Object.fromEntries(actions.map((each) => [each, `${self}?action=${each}`])) }),
    ...withReserved(object),
    ...('status' in object && { status: withConditionStates(object.status) }),
    metadata: { ...object.metadata, fields, relationships: relationshipsOf(object), state: stateOf(object) },
  };
}

function withReserved(object: UnknownObject): Record<string, unknown> {
  const taken = new Set<string>(RESERVED);
  return Object.fromEntries(
    Object.entries(object).map(([name, value]) => [taken.has(name) ? `_${name}` : name, value]),
  );
}

/** The Kubernetes object in what a client of the Steve API sends. */
export function fromSteveObject(value: Record<string, unknown>): Record<string, unknown> {
  const taken = new Set<string>(RESERVED);
  const own = new Set<string>(RESERVED.map((name) => `_${name}`));
  const {
    fields: _fields,
    relationships: _relationships,
    state: _state,
    ...metadata
  } = isObject(value.metadata) ? value.metadata : {};
  const kept = Object.entries(value)
    .filter(([name]) => !taken.has(name) && name !== 'metadata')
    .map(([name, each]) => [own.has(name) ? name.slice(1) : name, each] as const);
  return { ...Object.fromEntries(kept), metadata };
}

/** Who owns it. */
function relationshipsOf({ metadata }: UnknownObject): object[] {
  return (metadata.ownerReferences ?? []).map(({ apiVersion, kind, name }) => {
    const group = apiVersion.includes('/') ? apiVersion.split('/')[0] : '';
    const owner = STEVE_TYPES.find((type) => type.kind.group === group && type.kind.kind === kind);
    const isNamespaced = metadata.namespace !== undefined && owner?.kind.namespaced !== false;
    return {
      fromId: isNamespaced ? `${metadata.namespace}/${name}` : name,
      fromType: owner?.id ?? kind.toLowerCase(),
      rel: 'owner',
      state: 'active',
    };
  });
}

import type { ApiResource } from './resources.ts';

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const objectsIn = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);
const text = (value: unknown): string => (typeof value === 'string' ? value : '');
const texts = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((each) => typeof each === 'string') : [];

/** The resources of an APIResourceList, whatever else a server may have sent. */
export const resourcesInList = (body: unknown): ApiResource[] =>
  objectsIn(isObject(body) ? body.resources : undefined)
    .filter(({ name }) => text(name) !== '')
    .map((resource) => ({
      name: text(resource.name),
      singularName: text(resource.singularName),
      namespaced: resource.namespaced === true,
      kind: text(resource.kind),
      ...(resource.group !== undefined && { group: text(resource.group) }),
      ...(resource.version !== undefined && { version: text(resource.version) }),
      verbs: texts(resource.verbs),
      ...named(resource),
      ...(resource.storageVersionHash !== undefined && { storageVersionHash: text(resource.storageVersionHash) }),
    }));

/** Those of one group-version in an APIGroupDiscoveryList; undefined: it is none, or does not have it. */
export function resourcesInTree(
  body: unknown,
  { group, version }: { readonly group: string; readonly version: string },
): ApiResource[] | undefined {
  if (!isObject(body) || body.kind !== 'APIGroupDiscoveryList') return undefined;
  const found = objectsIn(body.items).find(({ metadata }) => isObject(metadata) && metadata.name === group);
  const versions = objectsIn(found?.versions).find((each) => each.version === version);
  return versions && objectsIn(versions.resources).flatMap((resource) => flattened(resource, group, version));
}

function flattened(resource: Json, group: string, version: string): ApiResource[] {
  const name = text(resource.resource);
  if (name === '') return [];
  const namespaced = resource.scope === 'Namespaced';
  const kindOf = ({ responseKind }: Json) => {
    const kind = isObject(responseKind) ? responseKind : {};
    const isOther = text(kind.group) !== group || text(kind.version) !== version;
    return {
      kind: text(kind.kind),
      ...(isOther && kind.kind ? { group: text(kind.group), version: text(kind.version) } : {}),
    };
  };
  const below = objectsIn(resource.subresources).map((subresource) => ({
    name: `${name}/${text(subresource.subresource)}`,
    singularName: '',
    namespaced,
    ...kindOf(subresource),
    verbs: texts(subresource.verbs),
  }));
  const own = { name, singularName: text(resource.singularResource), namespaced, ...kindOf(resource) };
  return [{ ...own, verbs: texts(resource.verbs), ...named(resource) }, ...below];
}

const named = ({ shortNames, categories }: Json): Partial<ApiResource> => ({
  ...(Array.isArray(shortNames) && { shortNames: texts(shortNames) }),
  ...(Array.isArray(categories) && { categories: texts(categories) }),
});

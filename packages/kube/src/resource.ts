import { ApiError, groupVersion, type KubeObject } from '@vireo/api';

/** What a client has to know of a kind to reach it; every `Kind` of `@vireo/api` fits. */
export interface ResourceRef {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced: boolean;
}

export const apiVersionOf = ({ group, version }: ResourceRef): string => groupVersion(group, version);

/** A resource as people name it: `pods`, `leases.coordination.k8s.io`. */
export const resourceName = ({ group, plural }: ResourceRef): string => (group ? `${plural}.${group}` : plural);

export interface ResourceLocation {
  readonly namespace?: string;
  readonly name?: string;
  /** `status`, `scale`, or a longer path such as `portforward/22/tcp`. */
  readonly subresource?: string;
}

/**
 * The path of a collection, an object or a subresource, every segment escaped.
 *
 * @example
 * resourcePath(Pod, { namespace: 'default', name: 'web', subresource: 'status' }) // /api/v1/namespaces/default/pods/web/status
 */
export function resourcePath(resource: ResourceRef, { namespace, name, subresource }: ResourceLocation): string {
  const { group, version, plural, namespaced } = resource;
  if (namespaced && name !== undefined && !namespace)
    throw new TypeError(`${resourceName(resource)} "${name}": a namespace is required`);
  const segments = group === '' ? ['api', version] : ['apis', group, version];
  if (namespaced && namespace) segments.push('namespaces', namespace);
  segments.push(plural);
  if (name !== undefined) segments.push(name);
  if (subresource !== undefined) segments.push(...subresource.split('/'));
  return `/${segments.map((segment) => escapeSegment(segment, resource)).join('/')}`;
}

function escapeSegment(segment: string, resource: ResourceRef): string {
  // Escaping leaves dots alone, and "." or ".." would climb to another resource wherever a path is normalised.
  if (segment === '' || segment === '.' || segment === '..')
    // Names come from users: nothing is called so, and whoever asks for it is told that, as of any other name.
    throw new ApiError('NotFound', `${resourceName(resource)}: ${JSON.stringify(segment)} cannot be part of a path`, {
      group: resource.group,
      kind: resource.plural,
      name: segment,
    });
  return encodeURIComponent(segment);
}

/** What informers and queues call an object: `namespace/name`, or `name` where there is no namespace. */
export const keyOf = ({ metadata }: Pick<KubeObject, 'metadata'>): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : (metadata.name ?? '');

/** The reverse of `keyOf`. */
export function parseKey(key: string): { namespace?: string; name: string } {
  const slash = key.indexOf('/');
  return slash < 0 ? { name: key } : { namespace: key.slice(0, slash), name: key.slice(slash + 1) };
}

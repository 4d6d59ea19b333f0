import type { Sent } from '../wire.ts';

/** A resource as discovery lists it; `name` may have a slash, as `virtualmachines/start`. */
export interface ServedResource {
  readonly group: string;
  readonly version: string;
  readonly name: string;
  readonly namespaced: boolean;
  readonly verbs: readonly string[];
}

/** One question of the matrix: a verb on a resource, in a namespace or not in any. */
export interface Cell {
  readonly resource: ServedResource;
  readonly verb: string;
  /** Undefined: at the scope of the cluster. */
  readonly namespace: string | undefined;
  readonly sent: Sent;
  readonly isWatch: boolean;
}

/** Of a name that nobody has, so that whoever is let through finds nothing to break. */
const NOBODYS = 'security-nothing-of-that-name';

const METHODS: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/** Every question about a resource, in these namespaces. */
export function cellsOf(resource: ServedResource, namespaces: readonly string[]): Cell[] {
  const verbs = resource.verbs.filter((verb) => verb in METHODS);
  return verbs.flatMap((verb) => [
    ...(isInNamespaces(resource, verb) ? namespaces.map((namespace) => cell(resource, verb, namespace)) : []),
    ...(hasClusterScope(resource, verb) ? [cell(resource, verb, undefined)] : []),
  ]);
}

const isNamespaces = ({ name, namespaced }: ServedResource): boolean =>
  !namespaced && name.split('/')[0] === 'namespaces';

const hasName = ({ name }: ServedResource, verb: string): boolean =>
  name.includes('/') || ['get', 'update', 'patch', 'delete'].includes(verb);

/** A namespace is in itself: who has a role there may look at it. */
const isInNamespaces = (resource: ServedResource, verb: string): boolean =>
  resource.namespaced || (isNamespaces(resource) && hasName(resource, verb));

/** Lists and watches reach across all namespaces. */
const hasClusterScope = (resource: ServedResource, verb: string): boolean =>
  isInNamespaces(resource, verb) ? !resource.name.includes('/') && (verb === 'list' || verb === 'watch') : true;

function cell(resource: ServedResource, verb: string, namespace: string | undefined): Cell {
  const { group, version } = resource;
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const [plural = '', ...subresource] = resource.name.split('/');
  const isNamespace = isNamespaces(resource);
  const where = namespace !== undefined && !isNamespace ? `/namespaces/${namespace}` : '';
  const name = hasName(resource, verb) ? `/${isNamespace ? namespace : NOBODYS}` : '';
  const path = [`${root}${where}/${plural}${name}`, ...subresource].join('/');
  const query = verb === 'watch' ? 'watch=true&timeoutSeconds=1' : 'dryRun=All';
  const hasBody = ['create', 'update', 'patch'].includes(verb);
  return {
    resource,
    verb,
    namespace,
    isWatch: verb === 'watch',
    sent: {
      method: METHODS[verb] ?? 'GET',
      path: `${path}?${query}`,
      ...(hasBody && {
        body: '{}',
        headers: { 'content-type': verb === 'patch' ? 'application/merge-patch+json' : 'application/json' },
      }),
    },
  };
}

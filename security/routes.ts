import { isObject } from '@vireo/api/json.ts';
import type { Gvk } from './fuzz/bodies.ts';
import type { ServedResource } from './permissions/cells.ts';
import type { Wire } from './wire.ts';

/** A path that the server says it serves, with `{name}`s in it, and its methods in capitals. */
export interface Route {
  readonly template: string;
  readonly methods: readonly string[];
  /** What its objects are, where the documents say so. */
  readonly gvk?: Gvk;
}

const METHODS = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options'];

/** Paths that stand in no document: what programs fetch beside the API, uploads, exports and Harvester's Steve API. */
const BESIDE: readonly Route[] = [
  ...['upload', 'upload-async', 'upload-form', 'upload-form-async'].flatMap((name) =>
    ['v1beta1', 'v1alpha1'].map((version) => ({ template: `/${version}/${name}`, methods: ['POST', 'HEAD'] })),
  ),
  {
    template: '/api/export.kubevirt.io/v1/namespaces/{namespace}/virtualmachineexports/{name}/volumes/{name}/disk.img',
    methods: ['GET', 'HEAD'],
  },
  { template: '/v1/harvester', methods: ['GET'] },
  ...['kubevirt.io.virtualmachines', 'kubevirt.io.virtualmachineinstances', 'nodes', 'persistentvolumeclaims'].flatMap(
    (schema) => [
      { template: `/v1/harvester/${schema}`, methods: ['GET', 'POST'] },
      { template: `/v1/harvester/${schema}/{namespace}/{name}`, methods: ['GET', 'POST', 'PUT', 'DELETE'] },
    ],
  ),
];

/** Every route of a server: from its index of paths and its OpenAPI documents, so that none is forgotten. */
export async function discoverRoutes(wire: Wire): Promise<Route[]> {
  const index = await read(wire, '/');
  const plain = (Array.isArray(index.paths) ? index.paths : []).map(String);
  const { paths: documents } = await read(wire, '/openapi/v3');
  const found: Route[] = plain.map((template) => ({ template, methods: ['GET'] }));
  for (const [name, { serverRelativeURL }] of Object.entries(isObject(documents) ? documents : {}) as [
    string,
    { serverRelativeURL: string },
  ][]) {
    const { paths } = await read(wire, serverRelativeURL);
    if (!isObject(paths)) throw new Error(`the OpenAPI document of ${name} has no paths`);
    for (const [template, operations] of Object.entries(paths)) {
      const methods = METHODS.filter((method) => isObject(operations) && method in operations);
      const gvk = isObject(operations) ? gvkOf(Object.values(operations)) : undefined;
      found.push({ template, methods: methods.map((method) => method.toUpperCase()), ...(gvk && { gvk }) });
    }
  }
  return [...found, ...BESIDE];
}

function gvkOf(operations: readonly unknown[]): Gvk | undefined {
  const named = operations.filter(isObject).map((operation) => operation['x-kubernetes-group-version-kind']);
  const [found] = named.filter(isObject);
  return found && { group: String(found.group), version: String(found.version), kind: String(found.kind) };
}

/** Every resource that discovery lists, those of aggregated APIs included. */
export async function discoverResources(wire: Wire): Promise<ServedResource[]> {
  const roots = (await discoverRoutes(wire)).flatMap(
    ({ template }) => /^\/(?:api\/v1|apis\/[^/{]+\/[^/{]+)(?=\/|$)/.exec(template) ?? [],
  );
  const lists = await Promise.all([...new Set(roots)].map((path) => resourcesAt(wire, path)));
  return lists.flat();
}

async function resourcesAt(wire: Wire, path: string): Promise<ServedResource[]> {
  const { resources } = await read(wire, path);
  const [group = '', version = ''] = path.startsWith('/apis/') ? path.split('/').slice(2) : ['', 'v1'];
  return (Array.isArray(resources) ? resources : []).filter(isObject).map((resource) => ({
    group,
    version,
    name: String(resource.name),
    namespaced: resource.namespaced === true,
    verbs: Array.isArray(resource.verbs) ? resource.verbs.map(String) : [],
  }));
}

async function read(wire: Wire, path: string): Promise<Record<string, unknown>> {
  const { status, body } = await wire.send({ method: 'GET', path, headers: { accept: 'application/json' } });
  const value: unknown = status === 200 ? JSON.parse(body) : undefined;
  if (!isObject(value)) throw new Error(`GET ${path} was answered with ${status}: ${body.slice(0, 200)}`);
  return value;
}

/** A template with names in place of its braces; the last one that a list does not have repeats. */
export const fill = (template: string, names: Readonly<Record<string, string>>): string =>
  template.replaceAll(/\{([^}]*)\}/g, (_, name: string) => names[name] ?? names.name ?? 'x');

import { methodNotAllowed, pathNotFound } from '@vireo/api';
import type { ResourceRef } from '@vireo/kube';
import { namedKind } from '../objectgraph/dependents.ts';
import { SUBRESOURCE_GROUP, SUBRESOURCE_VERSIONS } from '../wellKnown.ts';
import type { Action } from './action.ts';

/** What a path below the group is about. */
export type Route =
  | { readonly to: 'discovery'; readonly version: string }
  /** A path of the installation as a whole, such as `version`. */
  | { readonly to: 'installation'; readonly version: string; readonly name: string }
  /** A path of a namespace, such as `expand-vm-spec`. */
  | { readonly to: 'namespace'; readonly version: string; readonly namespace: string; readonly name: string }
  /** Which machines need an object. */
  | { readonly to: 'dependents'; readonly kind: ResourceRef; readonly namespace: string; readonly name: string }
  | ActionRoute;

export interface ActionRoute {
  readonly to: 'action';
  readonly version: string;
  readonly namespace: string;
  readonly name: string;
  readonly action: Action;
  readonly parameters: Readonly<Record<string, string>>;
}

/**
 * Finds out what a path is about.
 *
 * @example
 * route(ACTIONS, 'PUT', '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web/start')
 */
export function route(actions: readonly Action[], method: string, path: string): Route {
  const [apis, group, version = '', ...rest] = segmentsOf(path);
  if (apis !== 'apis' || group !== SUBRESOURCE_GROUP || !isServed(version)) throw pathNotFound();
  if (rest.length === 0) return { to: 'discovery', version };
  if (rest[0] !== 'namespaces') return { to: 'installation', version, name: rest.join('/') };
  const [, namespace = '', resource = '', name = '', ...tail] = rest;
  if (name === '') return { to: 'namespace', version, namespace, name: resource };
  const kind = tail.length === 1 && tail[0] === 'dependents' ? namedKind(resource) : undefined;
  if (kind) {
    if (method === 'GET') return { to: 'dependents', kind, namespace, name };
    throw methodNotAllowed({ group: SUBRESOURCE_GROUP, resource: `${resource}/dependents` }, method);
  }
  const { action, parameters } = find(actions, method, resource, tail);
  return { to: 'action', version, namespace, name, action, parameters };
}

const isServed = (version: string): boolean => (SUBRESOURCE_VERSIONS as readonly string[]).includes(version);

/**
 * Nothing is skipped: the API server has authorised what it read at each place. If `web//console` were taken for
 * `web/console` here, whoever may see the instance could type on its console.
 */
function segmentsOf(path: string): string[] {
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  if (segments.includes('')) throw pathNotFound();
  try {
    return segments.map(decodeURIComponent);
  } catch {
    throw pathNotFound();
  }
}

function find(actions: readonly Action[], method: string, resource: string, tail: readonly string[]) {
  const fitting = actions
    .filter((action) => action.resource === resource)
    .flatMap((action) => {
      const parameters = match(action, tail);
      return parameters ? [{ action, parameters }] : [];
    });
  const [first] = fitting;
  if (!first) throw pathNotFound();
  const found = fitting.find(({ action }) => action.method === method);
  if (!found)
    throw methodNotAllowed({ group: SUBRESOURCE_GROUP, resource: `${resource}/${first.action.name}` }, method);
  return found;
}

/** The parameters in what follows the object's name; undefined where it is not about this action. */
function match({ name, parameters = [] }: Action, tail: readonly string[]): Record<string, string> | undefined {
  const own = name.split('/');
  const values = tail.slice(own.length);
  const fewest = parameters.filter((parameter) => !parameter.endsWith('?')).length;
  if (own.some((segment, index) => segment !== tail[index])) return undefined;
  if (values.length < fewest || values.length > parameters.length) return undefined;
  return Object.fromEntries(values.map((value, index) => [parameters[index]!.replace('?', ''), value]));
}

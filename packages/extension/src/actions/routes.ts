import { methodNotAllowed, pathNotFound } from '@vireo/api';
import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import type { ResourceRef } from '@vireo/kube';
import { namedKind } from '../objectgraph/dependents.ts';
import type { Action, ActionGroup } from './action.ts';
import { DIALECTS } from './dialects.ts';
import { methodsOf, type Verb, verbOf } from './methods.ts';
import { isPathNamespaced } from './resources.ts';

/** What a path below one of the groups is about. */
export type Route =
  | { readonly to: 'discovery'; readonly group: ActionGroup; readonly version: string }
  /** A path of the installation as a whole, such as `version`. */
  | { readonly to: 'installation'; readonly version: string; readonly name: string }
  /** A path of a namespace, such as `expand-vm-spec`. */
  | { readonly to: 'namespace'; readonly version: string; readonly namespace: string; readonly name: string }
  /** Which VMs need an object. */
  | { readonly to: 'dependents'; readonly kind: ResourceRef; readonly namespace: string; readonly name: string }
  | ActionRoute;

export interface ActionRoute {
  readonly to: 'action';
  /** In RBAC's words; the same action can be created and updated. */
  readonly verb: Verb;
  /** Missing where the object has none. */
  readonly namespace?: string;
  readonly name: string;
  readonly action: Action;
  readonly parameters: Readonly<Record<string, string>>;
}

const isGroup = (group: string): group is ActionGroup => Object.hasOwn(DIALECTS, group);

/**
 * Finds out what a path is about.
 *
 * @example
 * route(ACTIONS, 'PUT', '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/web/start')
 * route(ACTIONS, 'POST', '/apis/subresources.harvesterhci.io/v1beta1/nodes/n1/cordon')
 */
export function route(actions: readonly Action[], method: string, path: string): Route {
  const [apis, group = '', version = '', ...rest] = segmentsOf(path);
  if (apis !== 'apis' || !isGroup(group) || !DIALECTS[group].versions.includes(version)) throw pathNotFound();
  if (rest.length === 0) return { to: 'discovery', group, version };
  if (group === SUBRESOURCE_GROUP) {
    if (rest[0] !== 'namespaces') return { to: 'installation', version, name: rest.join('/') };
    const [, namespace = '', resource = '', name = '', ...tail] = rest;
    if (name === '') return { to: 'namespace', version, namespace, name: resource };
    const kind = tail.length === 1 && tail[0] === 'dependents' ? namedKind(resource) : undefined;
    if (kind) {
      if (method === 'GET') return { to: 'dependents', kind, namespace, name };
      throw methodNotAllowed({ group, resource: `${resource}/dependents` }, method);
    }
  }
  return objectRoute(actions, group, method, rest);
}

/** `namespaces/{namespace}/{resource}/{name}/…`, or `{resource}/{name}/…` where objects have no namespace. */
function objectRoute(
  actions: readonly Action[],
  group: ActionGroup,
  method: string,
  rest: readonly string[],
): ActionRoute {
  const namespace = rest[0] === 'namespaces' && rest.length > 3 ? rest[1] : undefined;
  const [resource = '', name = '', ...tail] = namespace === undefined ? rest : rest.slice(2);
  if (tail.length === 0) throw pathNotFound();
  const candidates = actions.filter(
    (action) =>
      action.group === group &&
      action.resource === resource &&
      isPathNamespaced(action.resource) === (namespace !== undefined),
  );
  const { action, parameters } = find(candidates, method, tail);
  return { to: 'action', verb: verbOf(method), namespace, name, action, parameters };
}

/**
 * Nothing is skipped: the API server has authorised what it read at each place. If `web//console` were taken for
 * `web/console` here, whoever may see the VMI could type on its console.
 */
function segmentsOf(path: string): string[] {
  const segments = path.replace(/\/$/, '').split('/').slice(1);
  if (segments.includes('')) throw pathNotFound();
  const decoded = segments.map(decodeSegment);
  if (decoded.some((segment) => segment === '.' || segment === '..')) throw pathNotFound();
  return decoded;
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw pathNotFound();
  }
}

function find(actions: readonly Action[], method: string, tail: readonly string[]) {
  const fitting = actions.flatMap((action) => {
    const parameters = match(action, tail);
    return parameters ? [{ action, parameters }] : [];
  });
  const [first] = fitting;
  if (!first) throw pathNotFound();
  const found = fitting.find(({ action }) => (methodsOf(action) as readonly string[]).includes(method));
  if (found) return found;
  const { group, resource, name } = first.action;
  throw methodNotAllowed({ group, resource: `${resource}/${name}` }, method);
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

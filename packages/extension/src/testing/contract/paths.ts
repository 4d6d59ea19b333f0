import type { Action } from '../../actions/action.ts';
import type { Method } from '../../actions/dialects.ts';
import { methodsOf } from '../../actions/methods.ts';
import { isPathNamespaced, RESOURCES } from '../../actions/resources.ts';

/** A way to call an action. */
export interface CallPath {
  /** `subresource, by POST`, `Steve`. */
  readonly label: string;
  readonly method: Method;
  readonly path: string;
  readonly query?: Record<string, string>;
  /** What is sent where the caller sends nothing else. */
  readonly body?: unknown;
}

/** Every way to call an action on an object. */
export function pathsTo(action: Action, name: string): CallPath[] {
  return [
    ...methodsOf(action).map((method) => ({
      label: `subresource, by ${method}`,
      method,
      path: subresourcePath(action, name),
    })),
    ...(action.group === 'subresources.harvesterhci.io' ? [stevePath(action, name)] : []),
  ];
}

function subresourcePath({ group, resource, name: subresource, parameters = [] }: Action, name: string): string {
  const version = group === 'subresources.kubevirt.io' ? 'v1' : 'v1beta1';
  const scope = isPathNamespaced(resource) ? `/namespaces/${namespaceFor(resource, name)}` : '';
  const tail = parameters.filter((parameter) => !parameter.endsWith('?')).map(() => '22');
  return [`/apis/${group}/${version}${scope}/${resource}/${name}/${subresource}`, ...tail].join('/');
}

/** A namespace is in itself. */
const namespaceFor = (resource: Action['resource'], name: string): string =>
  resource === 'namespaces' ? name : 'default';

function stevePath({ resource, name: action, isLink, isOfCollection }: Action, name: string): CallPath {
  const { group, plural, namespaced } = RESOURCES[resource];
  const type = group === '' ? plural : `${group}.${plural}`;
  if (isOfCollection)
    return {
      label: 'Steve',
      method: 'POST',
      path: `/v1/harvester/${type}`,
      query: { action },
      body: { name, namespace: 'default' },
    };
  const path = `/v1/harvester/${type}/${namespaced ? `default/${name}` : name}`;
  return isLink
    ? {
        label: 'Steve, as a link',
        method: 'GET',
        path: `${path}${namespaced ? `/${action}` : ''}`,
        ...(!namespaced && { query: { link: action } }),
      }
    : { label: 'Steve', method: 'POST', path, query: { action } };
}

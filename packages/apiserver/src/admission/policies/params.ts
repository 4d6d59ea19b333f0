import { groupVersion, type ParamKind, type ParamRef, type UnknownObject } from '@vireo/api';
import { selectorFromObject } from '@vireo/api/labelSelector.ts';
import { NotConverted } from '../../registry/notConverted.ts';
import type { Registry } from '../../registry/registry.ts';
import { asServed, converting, keyOf, keyPrefix } from '../../registry/resource.ts';
import type { Store } from '../../store/store.ts';
import type { LabelSelectorObject } from '../webhooks/types.ts';

/** Something about a policy or binding that makes it impossible to evaluate. */
export class ConfigurationError extends Error {}

/** The objects of the kind of a policy's parameters. */
export interface ParamObjects {
  readonly namespaced: boolean;
  get(namespace: string, name: string): UnknownObject | undefined;
  list(namespace: string): UnknownObject[];
}

/** Finds the kind of a policy's parameters; undefined where there is no such kind. */
export type ParamSource = (paramKind: ParamKind) => ParamObjects | undefined;

/** Parameters are looked up in the store, in the version that the policy names. */
export const paramsInStore =
  (registry: Registry, store: Store): ParamSource =>
  ({ apiVersion = '', kind = '' }) => {
    const resource = registry.findKind(apiVersion, kind);
    if (!resource || resource.kind.virtual) return undefined;
    const { namespaced } = resource.kind;
    return {
      namespaced,
      get(namespace, name) {
        const stored = store.get(keyOf(resource, namespace, name));
        return stored && asServed(resource, stored).object;
      },
      list(namespace) {
        const all = store.list(keyPrefix(resource, namespaced ? namespace : undefined));
        const missing = converting(resource, all);
        if (missing) throw new NotConverted(missing);
        return all.map((each) => asServed(resource, each).object);
      },
    };
  };

/** The objects of a policy's paramKind. Throws ConfigurationError if there is no such kind. */
export function paramObjectsOf(paramKind: ParamKind | undefined, source: ParamSource): ParamObjects | undefined {
  if (!paramKind) return undefined;
  const found = source(paramKind);
  if (!found) throw new ConfigurationError(`failed to find resource referenced by paramKind: '${gvkText(paramKind)}'`);
  return found;
}

/**
 * The parameters with which a binding puts a policy into force, one evaluation each; null stands for none. Throws
 * ConfigurationError.
 */
export function collectParams(
  objects: ParamObjects | undefined,
  ref: ParamRef | undefined,
  namespace: string,
): readonly (UnknownObject | null)[] {
  if (!objects || !ref) return [null];
  const found = findParams(objects, ref, paramNamespace(objects, ref, namespace));
  if (found.length === 0 && ref.parameterNotFoundAction === 'Deny')
    throw new ConfigurationError('no params found for policy binding with `Deny` parameterNotFoundAction');
  return found;
}

function paramNamespace({ namespaced }: ParamObjects, ref: ParamRef, namespace: string): string {
  if (!namespaced && ref.namespace)
    throw new ConfigurationError('paramRef.namespace must not be provided for a cluster-scoped `paramKind`');
  if (!namespaced) return '';
  const wanted = ref.namespace || namespace;
  if (!wanted)
    throw new ConfigurationError(
      'cannot use namespaced paramRef in policy binding that matches cluster-scoped resources',
    );
  return wanted;
}

function findParams(objects: ParamObjects, { name, selector }: ParamRef, namespace: string): UnknownObject[] {
  if (name) {
    const found = objects.get(namespace, name);
    return found ? [found] : [];
  }
  const wanted = selectorFromObject(selector as LabelSelectorObject | undefined);
  return objects.list(namespace).filter(({ metadata }) => wanted.matches(metadata.labels));
}

/** As Go prints a GroupVersionKind: `/v1, Kind=ConfigMap`. */
function gvkText({ apiVersion = '', kind = '' }: ParamKind): string {
  const [group, version] = apiVersion.includes('/') ? (apiVersion.split('/', 2) as [string, string]) : ['', apiVersion];
  return `${group ? groupVersion(group, version) : `/${version}`}, Kind=${kind}`;
}

import { builtinKinds, type FieldError, groupVersion, type UnknownObject } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import type { UserInfo } from '@vireo/kube';
import type { Strategy, StrategyContext } from '../strategies/strategy.ts';

/** A context for tests: these objects are stored, this is who writes. */
export function contextOf(
  options: { subresource?: string; stored?: readonly UnknownObject[]; user?: UserInfo } = {},
): StrategyContext {
  const { subresource = '', user = { username: 'jane', groups: ['system:authenticated'] } } = options;
  const stored = (options.stored ?? []).map((object) => persisted(object));
  const inside = (group: string, resource: string, namespace?: string) =>
    stored.filter(
      (object) =>
        groupOf(object) === group &&
        resourceOf(object) === resource &&
        (namespace === undefined || object.metadata.namespace === namespace),
    );
  return {
    user,
    subresource,
    lookup: {
      get: (group, resource, namespace, name) =>
        inside(group, resource, namespace).find((object) => object.metadata.name === name),
      list: inside,
    },
  };
}

const groupOf = ({ apiVersion }: UnknownObject): string => (apiVersion.includes('/') ? apiVersion.split('/')[0]! : '');
const resourceOf = ({ apiVersion, kind }: UnknownObject): string =>
  builtinKinds.find((known) => known.kind === kind && groupVersion(known.group, known.version) === apiVersion)
    ?.plural ?? '';

/** Errors as kubectl shows them: `spec.replicas: Invalid value: -1: must be …`. */
export const texts = (errors: readonly FieldError[] | undefined): string[] =>
  (errors ?? []).map((error) => `${error.field}: ${error.text}`);

/** What a strategy has to say about an object by itself. */
export const problems = (strategy: Strategy, object: object, context = contextOf()): string[] =>
  texts(strategy.validate?.(object as UnknownObject, context));

/** What a strategy has to say about a change. */
export const changeProblems = (strategy: Strategy, object: object, old: object, context = contextOf()): string[] =>
  texts(strategy.validateUpdate?.(object as UnknownObject, old as UnknownObject, context));

/** The object after the server has set what only it decides. */
export function created(strategy: Strategy, object: object, context = contextOf()): UnknownObject {
  const draft = structuredClone(object) as UnknownObject;
  strategy.prepareForCreate?.(draft, context);
  return draft;
}

/** The object that an update leaves, after what it must not change was put back. */
export function updated(strategy: Strategy, object: object, old: object, context = contextOf()): UnknownObject {
  const draft = structuredClone(object) as UnknownObject;
  strategy.prepareForUpdate?.(draft, freeze(old) as UnknownObject, context);
  return draft;
}

/** Stored objects are frozen, all the way down. */
export function freeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null) {
    Object.freeze(value);
    for (const item of Object.values(value)) freeze(item);
  }
  return value;
}

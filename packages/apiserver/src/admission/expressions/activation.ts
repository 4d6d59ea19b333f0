import type { UnknownObject } from '@vireo/api';
import { type CelValue, fromJson, type Result } from '../../cel/index.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import type { AdmissionRequest } from '../admission.ts';
import { requestJson, shownApiVersion } from '../requestJson.ts';
import { authorizerOf, requestResourceOf } from './authorizer.ts';

/** What the expressions of one evaluation see. */
export interface Seen {
  readonly request: AdmissionRequest;
  /** The version in which the policy or webhook wants to see objects. */
  readonly version: string;
  /** Null: the binding names no parameter. */
  readonly params?: UnknownObject | null | undefined;
  readonly namespace?: UnknownObject | undefined;
  /** Absent: `authorizer` has no value, and using it is an error. */
  readonly authorizer?: Authorizer | undefined;
}

/** The value of a variable by its name. Each is made when it is asked for, and once. */
export type Activation = (name: string) => Result | undefined;

export function activationOf(seen: Seen): Activation {
  const known = new Map<string, CelValue | undefined>();
  return (name) => {
    if (!known.has(name)) known.set(name, variableValue(name, seen));
    return known.get(name);
  };
}

function variableValue(name: string, seen: Seen): CelValue | undefined {
  const { request, namespace, params, authorizer } = seen;
  switch (name) {
    case 'object':
      return objectValue(request.object, seen);
    case 'oldObject':
      return objectValue(request.oldObject, seen);
    case 'request':
      return fromJson(requestJson(request, { ...request.kind, version: seen.version }));
    case 'namespaceObject':
      return namespace ? fromJson(namespaceJson(namespace)) : null;
    case 'params':
      return params ? fromJson(params) : null;
    case 'authorizer':
      return authorizer && authorizerOf(authorizer, request);
    case 'authorizer.requestResource':
      return authorizer && requestResourceOf(authorizer, request);
    default:
      return undefined;
  }
}

function objectValue(object: UnknownObject | undefined, { request, version }: Seen): CelValue {
  if (!object) return null;
  const { kind, objectKind } = request;
  return fromJson({
    ...object,
    apiVersion: shownApiVersion(request, { ...kind, version }),
    kind: objectKind?.kind ?? kind.kind,
  });
}

function namespaceJson({ metadata, spec, status }: UnknownObject): object {
  const { ownerReferences: _, managedFields: __, ...rest } = metadata;
  return { metadata: rest, spec, status };
}

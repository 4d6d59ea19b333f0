import { groupVersion, type UnknownObject } from '@vireo/api';
import { type CelValue, fromJson, type Result } from '../../cel/index.ts';
import type { Authorizer } from '../../rbac/authorize.ts';
import type { AdmissionRequest } from '../admission.ts';
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
      return fromJson(requestJson(seen));
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

function objectValue(object: UnknownObject | undefined, { request: { kind }, version }: Seen): CelValue {
  if (!object) return null;
  return fromJson({ ...object, apiVersion: groupVersion(kind.group, version), kind: kind.kind });
}

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: undefined };

/** Without what Go leaves out when it is empty. */
function requestJson({ request, version }: Seen): object {
  const { kind, operation, subresource, namespace, name, user, dryRun, options } = request;
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  const gvr = { group: kind.group, version: kind.version, resource: kind.plural };
  const optionsKind = OPTIONS[operation];
  return {
    kind: { ...gvk, version },
    resource: { ...gvr, version },
    requestKind: gvk,
    requestResource: gvr,
    ...(subresource && { subResource: subresource, requestSubResource: subresource }),
    ...(name && { name }),
    ...(namespace && { namespace }),
    operation,
    userInfo: {
      ...(user.username && { username: user.username }),
      ...(user.uid && { uid: user.uid }),
      ...(user.groups.length > 0 && { groups: user.groups }),
      ...(user.extra && Object.keys(user.extra).length > 0 && { extra: user.extra }),
    },
    dryRun,
    options: { ...(optionsKind && { apiVersion: 'meta.k8s.io/v1', kind: optionsKind }), ...options },
  };
}

function namespaceJson({ metadata, spec, status }: UnknownObject): object {
  const { ownerReferences: _, managedFields: __, ...rest } = metadata;
  return { metadata: rest, spec, status };
}

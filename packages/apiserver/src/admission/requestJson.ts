import { groupVersion, type Kind } from '@vireo/api';
import type { AdmissionRequest } from './admission.ts';
import { namespaceOf } from './namespaceOf.ts';

const OPTIONS = { CREATE: 'CreateOptions', UPDATE: 'UpdateOptions', DELETE: 'DeleteOptions', CONNECT: undefined };

/**
 * A request as webhooks and expressions are told of it, but for its objects. `as`: the kind in which they are shown.
 * Without what Go leaves out when it is empty.
 */
export function requestJson(request: AdmissionRequest, as: Pick<Kind, 'group' | 'version' | 'kind' | 'plural'>) {
  const { kind, operation, subresource, name, user, dryRun, options, objectKind } = request;
  const namespace = namespaceOf(request);
  const optionsKind = OPTIONS[operation];
  return {
    kind: objectKind ?? gvk(as),
    resource: gvr(as),
    ...(subresource && { subResource: subresource }),
    requestKind: objectKind ?? gvk(kind),
    requestResource: gvr(kind),
    ...(subresource && { requestSubResource: subresource }),
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
    options: { ...(optionsKind && { kind: optionsKind, apiVersion: 'meta.k8s.io/v1' }), ...options },
  };
}

const gvk = ({ group, version, kind }: Pick<Kind, 'group' | 'version' | 'kind'>) => ({ group, version, kind });
const gvr = ({ group, version, plural }: Pick<Kind, 'group' | 'version' | 'plural'>) => ({
  group,
  version,
  resource: plural,
});

/** The apiVersion of the objects of a request that are shown as a kind. */
export const shownApiVersion = ({ objectKind }: AdmissionRequest, as: Pick<Kind, 'group' | 'version'>): string =>
  groupVersion(objectKind?.group ?? as.group, objectKind?.version ?? as.version);

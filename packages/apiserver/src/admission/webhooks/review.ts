import { randomUUID } from 'node:crypto';
import { ApiError, groupVersion, type Kind, type StatusReason, type UnknownObject } from '@vireo/api';
import type { AdmissionRequest } from '../admission.ts';
import type { ReviewResponse, Webhook } from './types.ts';

/** A refusal is one whatever code it comes with; Kubernetes makes it 400 where the webhook gives none. */
export function refusal(webhook: Webhook, { status }: ReviewResponse): ApiError {
  const denied = `admission webhook "${webhook.name}" denied the request`;
  const why = status?.message || status?.reason;
  return new ApiError(
    status?.reason as StatusReason | undefined,
    why ? `${denied}: ${why}` : `${denied} without explanation`,
    status?.details as object | undefined,
    Math.max(status?.code ?? 0, 400),
  );
}

/** The AdmissionReview of a write, as of a version of its resource. */
export function reviewOf(request: AdmissionRequest, version: string) {
  const { kind, operation, subresource, namespace, name, user, object, oldObject, dryRun, options } = request;
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  const gvr = { group: kind.group, version: kind.version, resource: kind.plural };
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid: randomUUID(),
      kind: { ...gvk, version },
      resource: { ...gvr, version },
      requestKind: gvk,
      requestResource: gvr,
      ...(subresource && { subResource: subresource, requestSubResource: subresource }),
      name,
      ...(namespace && { namespace }),
      operation,
      userInfo: { username: user.username, uid: user.uid, groups: user.groups, extra: user.extra },
      object: object ? withType(object, kind, version) : null,
      oldObject: oldObject ? withType(oldObject, kind, version) : null,
      dryRun,
      options,
    },
  };
}

const withType = (object: UnknownObject, kind: Kind, version: string): UnknownObject => ({
  ...object,
  apiVersion: groupVersion(kind.group, version),
  kind: kind.kind,
});

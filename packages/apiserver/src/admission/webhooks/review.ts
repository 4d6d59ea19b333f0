import { randomUUID } from 'node:crypto';
import { ApiError, type Kind, type StatusReason, type UnknownObject } from '@vireo/api';
import type { AdmissionRequest } from '../admission.ts';
import { requestJson, shownApiVersion } from '../requestJson.ts';
import type { ReviewResponse, Webhook } from './types.ts';

const isErrorCode = (code: number): boolean => code >= 400 && code <= 599;

/** A refusal is one whatever code it comes with; Kubernetes makes it 400 where the webhook gives none. */
export function refusal(webhook: Webhook, { status }: ReviewResponse): ApiError {
  const denied = `admission webhook "${webhook.name}" denied the request`;
  const why = status?.message || status?.reason;
  return new ApiError(
    status?.reason as StatusReason | undefined,
    why ? `${denied}: ${why}` : `${denied} without explanation`,
    status?.details as object | undefined,
    isErrorCode(status?.code ?? 0) ? status?.code : 400,
  );
}

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** The version of AdmissionReview in which a webhook is asked: the first that it names and we know. */
export const reviewVersionOf = ({ admissionReviewVersions = ['v1'] }: Webhook): string =>
  admissionReviewVersions.find((version) => REVIEW_VERSIONS.includes(version)) ?? 'v1';

/** The AdmissionReview of a write, whose objects are of the kind `as`. */
export function reviewOf(request: AdmissionRequest, as: Kind, reviewVersion: string) {
  const apiVersion = shownApiVersion(request, as);
  const kind = request.objectKind?.kind ?? as.kind;
  const typed = (object: UnknownObject | undefined) => (object ? { ...object, apiVersion, kind } : null);
  return {
    kind: 'AdmissionReview',
    apiVersion: `admission.k8s.io/${reviewVersion}`,
    request: {
      uid: randomUUID(),
      ...requestJson(request, as),
      object: typed(request.object),
      oldObject: typed(request.oldObject),
    },
  };
}

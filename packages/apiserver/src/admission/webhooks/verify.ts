import { isObject } from '@vireo/api/json.ts';
import { CallingError } from './callingError.ts';
import type { ReviewResponse } from './types.ts';

/** What a response is held against. */
export interface Asked {
  readonly uid: string;
  readonly reviewVersion: string;
  readonly isMutating: boolean;
}

/** Reads the AdmissionReview that a webhook answered. Throws CallingError in Kubernetes' words. */
export function verifyResponse(review: unknown, { uid, reviewVersion, isMutating }: Asked): ReviewResponse {
  const response = isObject(review) ? review.response : undefined;
  if (!isObject(review) || !isObject(response)) throw invalid('webhook response was absent');
  const patch = readPatch(response.patch);
  // Responses of the older version never had to name what they are.
  if (reviewVersion === 'v1') {
    verifyIdentity(review, response, uid);
    verifyPatch(response, patch, isMutating);
  }
  const { allowed, status, patchType, warnings, auditAnnotations } = response;
  return {
    allowed: allowed === true,
    ...(isObject(status) && { status: readStatus(status) }),
    patch,
    patchType: reviewVersion === 'v1' ? patchType : 'JSONPatch',
    warnings: Array.isArray(warnings) ? warnings.filter((text) => typeof text === 'string') : [],
    auditAnnotations: isObject(auditAnnotations) ? textsOf(auditAnnotations) : {},
  };
}

/** What of a status can be told to a client as it is; whatever is of another type is left out. */
function readStatus({
  message,
  reason,
  code,
  details,
}: Record<string, unknown>): NonNullable<ReviewResponse['status']> {
  const isTold = isObject(details) && ['undefined', 'number'].includes(typeof details.retryAfterSeconds);
  return {
    ...(typeof message === 'string' && { message }),
    ...(typeof reason === 'string' && { reason }),
    ...(Number.isInteger(code) && { code: code as number }),
    ...(isTold && { details }),
  };
}

const invalid = (why: string): CallingError => new CallingError(`received invalid webhook response: ${why}`);

function verifyIdentity(review: Record<string, unknown>, response: Record<string, unknown>, uid: string): void {
  const sent = typeof response.uid === 'string' ? response.uid : '';
  if (sent !== uid) throw invalid(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(sent)}`);
  const expected = 'admission.k8s.io/v1, Kind=AdmissionReview';
  const [apiVersion, kind] = [review.apiVersion ?? '', review.kind ?? ''].map(String) as [string, string];
  const got = `${apiVersion.includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  if (got !== expected) throw invalid(`expected webhook response of ${expected}, got ${got}`);
}

function verifyPatch({ patchType }: Record<string, unknown>, patch: Buffer, isMutating: boolean): void {
  const hasType = patchType !== undefined && patchType !== null;
  if (!isMutating && patch.length > 0) throw invalid('validating webhook may not return response.patch');
  if (!isMutating && hasType) throw invalid('validating webhook may not return response.patchType');
  if (patch.length > 0 && !hasType) throw invalid('webhook returned response.patch but not response.patchType');
  if (patch.length === 0 && hasType) throw invalid('webhook returned response.patchType but not response.patch');
  if (patchType === '') throw invalid('webhook returned invalid response.patchType of ""');
}

/** Without groups: those take memory for every repetition, and patches are long. */
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

function readPatch(patch: unknown): Buffer {
  if (patch === undefined || patch === null) return Buffer.alloc(0);
  if (typeof patch === 'string' && patch.length % 4 === 0 && BASE64.test(patch)) return Buffer.from(patch, 'base64');
  throw new CallingError('failed to call webhook: illegal base64 data in response.patch');
}

/** The operations of a patch; none: the object stays as it is. Throws CallingError. */
export function operationsOf({ patch, patchType }: ReviewResponse): readonly unknown[] {
  if (patch.length === 0) return [];
  const operations = parsedPatch(patch);
  if (operations.length > 0 && patchType !== 'JSONPatch')
    throw new CallingError(`unsupported patch type ${JSON.stringify(patchType)}`);
  return operations;
}

function parsedPatch(patch: Buffer): readonly unknown[] {
  const why = 'received undecodable patch in webhook response';
  try {
    const operations: unknown = JSON.parse(patch.toString());
    if (operations === null) return [];
    if (Array.isArray(operations) && operations.every(isObject)) return operations;
  } catch (error) {
    throw new CallingError(`${why}: ${(error as Error).message}`);
  }
  throw new CallingError(`${why}: json: cannot unmarshal into Go value of type jsonpatch.Patch`);
}

const textsOf = (values: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, string] => typeof entry[1] === 'string'));

import { randomUUID } from 'node:crypto';
import type { UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import { restoredMetadata } from './restoreMetadata.ts';

const REVIEW_VERSIONS = ['v1', 'v1beta1'];

/** A ConversionReview with the objects that a webhook is to convert; in the first of these versions that is known. */
export function conversionReview(versions: readonly string[], objects: readonly UnknownObject[], apiVersion: string) {
  const version = versions.find((each) => REVIEW_VERSIONS.includes(each));
  if (!version) throw new Error('no supported conversion review versions');
  return {
    kind: 'ConversionReview',
    apiVersion: `apiextensions.k8s.io/${version}`,
    request: { uid: randomUUID() as string, desiredAPIVersion: apiVersion, objects },
    response: { uid: '', convertedObjects: null, result: { metadata: {} } },
  };
}

/** What a webhook answered, as far as that can be used at all. Throws an Error in Kubernetes' words. */
export function convertedIn(answer: unknown, review: ReturnType<typeof conversionReview>): unknown[] {
  const sent = isObject(answer) ? answer : {};
  const isV1 = review.apiVersion.endsWith('/v1');
  if (isV1) checkKind(sent);
  const { response } = sent;
  if (!isObject(response)) throw new Error('no response provided');
  const { uid } = review.request;
  const got = typeof response.uid === 'string' ? response.uid : '';
  if (isV1 && got !== uid) throw new Error(`expected response.uid=${JSON.stringify(uid)}, got ${JSON.stringify(got)}`);
  const { status = '', message = '' } = isObject(response.result) ? response.result : {};
  if (status !== 'Success')
    throw new Error(message ? String(message) : `response.result.status was '${status}', not 'Success'`);
  return Array.isArray(response.convertedObjects) ? response.convertedObjects : [];
}

function checkKind({ apiVersion = '', kind = '' }: Record<string, unknown>): void {
  const got = `${String(apiVersion).includes('/') ? apiVersion : `/${apiVersion}`}, Kind=${kind}`;
  const expected = 'apiextensions.k8s.io/v1, Kind=ConversionReview';
  if (got !== expected) throw new Error(`expected webhook response of ${expected}, got ${got}`);
}

/** One object that a webhook made of another, with the metadata of that. Throws an Error in Kubernetes' words. */
export function verifiedObject(original: UnknownObject, converted: unknown, apiVersion: string): UnknownObject {
  if (!isObject(converted)) throw new Error('returned invalid object: not an object');
  const differ = (what: string, expected: unknown, received: unknown): Error =>
    new Error(`returned invalid object at index 0: invalid ${what} (expected ${expected}, received ${received ?? ''})`);
  if (converted.apiVersion !== apiVersion) throw differ('groupVersion', apiVersion, converted.apiVersion);
  if (converted.kind !== original.kind) throw differ('kind', original.kind, converted.kind);
  const metadata = isObject(converted.metadata) ? converted.metadata : {};
  for (const [key, name] of IDENTITY) {
    const [before, after] = [original.metadata[key] ?? '', metadata[key] ?? ''];
    if (before !== after) throw new Error(`returned invalid object: must have the same ${name}: ${before} != ${after}`);
  }
  try {
    return { ...converted, metadata: restoredMetadata(original, converted.metadata) } as UnknownObject;
  } catch (error) {
    throw new Error(`returned invalid metadata: ${(error as Error).message}`);
  }
}

const IDENTITY = [
  ['name', 'name'],
  ['namespace', 'namespace'],
  ['uid', 'UID'],
] as const;

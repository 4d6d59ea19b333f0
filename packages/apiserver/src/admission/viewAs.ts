import { internalError, type Kind, type UnknownObject } from '@vireo/api';
import { ConversionError } from '../crd/conversion/conversionError.ts';
import type { AdmissionRequest } from './admission.ts';
import type { AdmittedKinds } from './kinds.ts';

/** An object of a kind as one of another. What a webhook fails to convert is an error of the server. */
export async function convertedTo(
  kinds: Pick<AdmittedKinds, 'convert'>,
  object: UnknownObject,
  from: Kind,
  to: Kind,
): Promise<UnknownObject> {
  try {
    return await kinds.convert(object, from, to);
  } catch (error) {
    throw error instanceof ConversionError ? internalError(error.message) : error;
  }
}

/** The request with its objects in another version. Kinds that belong to a subresource have but one. */
export async function viewAs(
  kinds: Pick<AdmittedKinds, 'convert'>,
  request: AdmissionRequest,
  as: Kind,
): Promise<AdmissionRequest> {
  const { object, oldObject, kind, objectKind } = request;
  if (objectKind) return request;
  return {
    ...request,
    ...(object && { object: await convertedTo(kinds, object, kind, as) }),
    ...(oldObject && { oldObject: await convertedTo(kinds, oldObject, kind, as) }),
  };
}

import type { ApiError } from '@vireo/api';
import { type ApiResponse, bytesResponse, objectResponse } from '@vireo/kube';

/** A refusal of the Steve API as such: an object that is called an error. */
export const steveError = (status: number, code: string, message: string, fieldName?: string): ApiResponse =>
  objectResponse({ type: 'error', links: {}, code, message, status, ...(fieldName && { fieldName }) }, status);

/** The same for what Kubernetes refused. */
export function fromStatus({ code, status, message }: ApiError): ApiResponse {
  const fieldName = status.details?.causes?.[0]?.field;
  return steveError(code, status.reason ?? 'ServerError', message, fieldName);
}

/** A refusal of an action: text. What is wrong with its input has a name in front, as Harvester's clients know it. */
export function actionRefusal(error: ApiError): ApiResponse {
  const text = error.code === 422 ? `InvalidBodyContent 422: ${error.message}` : error.message;
  return bytesResponse(Buffer.from(text), 'text/plain; charset=utf-8', error.code);
}

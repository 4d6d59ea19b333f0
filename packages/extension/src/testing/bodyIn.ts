import type { ApiResponse } from '@vireo/kube';

/** The object in a response, as a client would read it: an extension elsewhere answers with bytes. */
export function bodyIn(response: ApiResponse): unknown {
  if (response.type === 'stream') throw new Error('a stream has no body that could be read at once');
  return response.type === 'object' ? response.object() : JSON.parse(response.bytes.toString());
}

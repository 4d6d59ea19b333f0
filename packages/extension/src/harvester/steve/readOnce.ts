import { type ApiCallResult, Client } from '@vireo/kube';

/**
 * A client that reads each thing once: for one response, in which many objects look at the same others. Writes are not
 * its business.
 */
export function readOnce({ transport }: Client): Client {
  const known = new Map<string, Promise<ApiCallResult>>();
  return new Client({
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
    call(request) {
      if (request.method !== 'GET') return transport.call(request);
      const key = JSON.stringify([request.path, request.query ?? {}, request.accept ?? '']);
      let response = known.get(key);
      if (!response) {
        response = transport.call(request);
        known.set(key, response);
      }
      return response;
    },
  });
}

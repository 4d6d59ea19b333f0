import type { Transport } from '@vireo/kube';

/** A transport that keeps note of every write but those of events and leases. */
export function countingTransport(transport: Transport, writes: string[]): Transport {
  return {
    call: (request) => {
      const isNoise = /\/(events|leases)(\/|$)/.test(request.path);
      if (request.method !== 'GET' && !isNoise) writes.push(`${request.method} ${kindOf(request.path)}`);
      return transport.call(request);
    },
    watch: (request) => transport.watch(request),
    close: () => transport.close(),
  };
}

/** `/api/v1/namespaces/shop/pods/web/status` is about `pods/status`. */
const kindOf = (path: string): string => {
  const [, resource = '', subresource] = /\/namespaces\/[^/]+\/([^/]+)(?:\/[^/]+(?:\/(.+))?)?$/.exec(path) ?? [];
  return subresource ? `${resource}/${subresource}` : resource;
};

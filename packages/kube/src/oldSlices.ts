import type { ApiCall, Transport, WatchEvent } from './transport.ts';

const GROUP = 'discovery.k8s.io';
const NEW = `${GROUP}/v1`;
const OLD = `${GROUP}/v1beta1`;

/** The first release of Kubernetes that serves EndpointSlices as clients know them. */
export const SLICES_SINCE = 21;

/**
 * A transport to a server that has EndpointSlices only in their first version, for clients that know the present one.
 * What differs (the nodes and zones of endpoints) is not translated.
 */
export function withOldSlices(transport: Transport): Transport {
  const translated = (request: ApiCall): ApiCall => {
    const path = request.path.replace(`/apis/${NEW}/`, `/apis/${OLD}/`);
    return path === request.path ? request : { ...request, path, body: inVersion(OLD, request.body) };
  };
  return {
    async call(request) {
      const result = await transport.call(translated(request));
      return { ...result, body: inVersion(NEW, result.body) };
    },
    async watch(request) {
      return renamed(await transport.watch(translated(request)));
    },
    close: () => transport.close(),
  };
}

async function* renamed(events: AsyncIterable<WatchEvent>): AsyncGenerator<WatchEvent> {
  for await (const event of events) yield { ...event, object: inVersion(NEW, event.object) };
}

/** An object or a list of this group, under another version; everything else as it is. */
function inVersion(apiVersion: string, value: unknown): unknown {
  const isOurs =
    typeof value === 'object' &&
    value !== null &&
    'apiVersion' in value &&
    String(value.apiVersion).startsWith(`${GROUP}/`);
  return isOurs ? { ...value, apiVersion } : value;
}

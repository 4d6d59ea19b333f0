import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { ApiHandler, Exchange } from '@vireo/kube';
import { STEVE_PREFIX } from '../harvester/steve/paths.ts';
import { EXTENSION_SERVER_NAME } from '../install/remote.ts';
import { UPLOAD_PATHS } from '../uploads/endpoint.ts';

/** Objects that make a server ask the extension; it must be able to answer before they are there. */
export const ASKS_EXTENSION: readonly string[] = [
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

interface Destination {
  readonly service: { readonly namespace: string; readonly name: string; readonly port: number };
  readonly tls: { readonly serverName: string; readonly caBundle: string };
}

/** The parts of an API server that hand on what no APIService is about. */
export interface Gateway {
  readonly aggregation: {
    proxyTo(destination: Destination): ApiHandler;
    forwardTo(destination: Destination): (exchange: Exchange) => void;
  };
  readonly services: { registerPath(path: string, handler: ApiHandler): void };
  readonly directRoutes: {
    add(path: string, handler: (exchange: Exchange) => void): void;
    addBelow(prefix: string, handler: (exchange: Exchange) => void): void;
  };
}

/** Has a server hand on Harvester's Steve API, uploads and exports to an extension in a process of its own. */
export function reachExtension(gateway: Gateway, { port, caBundle }: { port: number; caBundle: string }): void {
  const destination = {
    service: { namespace: KUBEVIRT_NAMESPACE, name: VIRT_API_SERVICE, port },
    tls: { serverName: EXTENSION_SERVER_NAME, caBundle },
  };
  gateway.services.registerPath(STEVE_PREFIX, gateway.aggregation.proxyTo(destination));
  const forward = gateway.aggregation.forwardTo(destination);
  for (const path of UPLOAD_PATHS) gateway.directRoutes.add(path, forward);
  gateway.directRoutes.addBelow(EXPORT_PREFIX, forward);
}

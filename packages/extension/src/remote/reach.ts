import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { SUBRESOURCE_GROUP, SUBRESOURCE_VERSIONS } from '@vireo/api/kinds/kubevirt/names.ts';
import type { ApiHandler, Exchange, UpgradeHandler } from '@vireo/kube';
import { STEVE_ROOT } from '../harvester/steve/paths.ts';
import { UPLOAD_PATHS } from '../uploads/endpoint.ts';

/** Objects that make a server ask the extension; it must be able to answer before they are there. */
export const ASKS_EXTENSION: readonly string[] = [
  'APIService',
  'MutatingWebhookConfiguration',
  'ValidatingWebhookConfiguration',
];

/** The parts of an API server that hand on what no APIService is about. */
export interface Gateway {
  readonly aggregation: {
    /** Hands requests on to whoever serves a group-version, whatever their path. */
    proxyTo(group: string, version: string): ApiHandler;
    upgradeTo(group: string, version: string): UpgradeHandler;
    forwardTo(group: string, version: string): (exchange: Exchange) => void;
  };
  readonly services: {
    registerPath(path: string, handler: ApiHandler): void;
    registerPathUpgrade(path: string, handler: UpgradeHandler): void;
  };
  readonly directRoutes: {
    add(path: string, handler: (exchange: Exchange) => void): void;
    addBelow(prefix: string, handler: (exchange: Exchange) => void): void;
  };
}

/**
 * Has a server hand on Harvester's Steve API, uploads and exports to the extension in processes of its own: to where the
 * APIService of the subresources of VMs leads.
 */
export function reachExtension({ aggregation, services, directRoutes }: Gateway): void {
  const [version] = SUBRESOURCE_VERSIONS;
  services.registerPath(STEVE_ROOT, aggregation.proxyTo(SUBRESOURCE_GROUP, version));
  services.registerPathUpgrade(STEVE_ROOT, aggregation.upgradeTo(SUBRESOURCE_GROUP, version));
  const forward = aggregation.forwardTo(SUBRESOURCE_GROUP, version);
  for (const path of UPLOAD_PATHS) directRoutes.add(path, forward);
  directRoutes.addBelow(EXPORT_PREFIX, forward);
}

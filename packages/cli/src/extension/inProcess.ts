import { EXPORT_PREFIX } from '@vireo/api/kinds/export/names.ts';
import { HARVESTER_SERVICE } from '@vireo/api/kinds/harvester/names.ts';
import { KUBEVIRT_NAMESPACE, VIRT_API_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import type { ApiServer } from '@vireo/apiserver';
import {
  byServerInProcess,
  connectNodes,
  createExtension,
  type Extension,
  type ExtensionOptions,
  inProcessNode,
  STEVE_ROOT,
  UPLOAD_PATHS,
} from '@vireo/extension';
import { consoleLog, Informers, type NodeApi } from '@vireo/kube';

/** What the extension takes in one process with the server. */
export type InProcessParts = Pick<ExtensionOptions, 'client' | 'asUser' | 'metrics' | 'support'> & {
  /** Of this process. */
  readonly nodes: ReadonlyMap<string, NodeApi>;
  /** Where the certificate is kept that nodes elsewhere are shown. Missing: there are none. */
  readonly directory?: string;
};

/** The only one of its kind in a home. */
const INSTANCE = 'in-process';

/** Starts the extension as functions that the server calls. */
export function startInProcess(
  { nodes, directory, ...parts }: InProcessParts,
  api: ApiServer,
  signal: AbortSignal,
): Extension {
  const informers = new Informers(parts.client);
  const connect = { client: parts.client, informers, instance: INSTANCE, log: consoleLog };
  const elsewhere = directory === undefined ? undefined : connectNodes({ ...connect, directory }, signal);
  const extension = createExtension({
    ...parts,
    informers,
    authorize: byServerInProcess(parts.client),
    nodes: (name) => {
      const node = nodes.get(name);
      return node ? inProcessNode(node) : elsewhere?.(name);
    },
  });
  informers.start(signal);
  api.services.register(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.handle);
  api.services.register(HARVESTER_SERVICE.namespace, HARVESTER_SERVICE.name, extension.handle);
  api.services.registerPath(STEVE_ROOT, extension.handle);
  api.services.registerPathUpgrade(STEVE_ROOT, extension.upgrade);
  api.services.registerUpgrade(KUBEVIRT_NAMESPACE, VIRT_API_SERVICE, extension.upgrade);
  for (const path of UPLOAD_PATHS) api.directRoutes.add(path, extension.upload);
  api.directRoutes.addBelow(EXPORT_PREFIX, extension.download);
  return extension;
}

import { ApiError, unavailable } from '@vireo/api';
import type { ApiResponse, NodeLogs } from '@vireo/kube';
import type { VerbContext } from '../core.ts';
import { current } from '../verbs/get.ts';

/**
 * What is reached through the proxy of a node. Not more: who may use `nodes/proxy` may read what a kubelet tells of the
 * node and its pods, and that is no right on the streams and disks of VMs, which the node's port has as well.
 */
const PATHS: readonly string[] = [
  '/healthz',
  '/livez',
  '/readyz',
  '/metrics',
  '/metrics/resource',
  '/stats/summary',
  '/pods',
];

/** `GET nodes/NAME/proxy/PATH`. */
export const nodeProxy =
  (connectionTo: (nodeName: string) => NodeLogs | undefined) =>
  async (context: VerbContext): Promise<ApiResponse> => {
    const { info, request } = context;
    const { name } = current(context).object.metadata;
    const path = `/${info.rest.join('/')}`;
    if (!PATHS.includes(path))
      throw new ApiError('NotFound', `${path} is not served through a node's proxy; these are: ${PATHS.join(', ')}`);
    const connection = connectionTo(name ?? '');
    if (!connection) throw unavailable(`node "${name}" is not connected`);
    const shown = await connection.show?.(path, request.signal);
    if (!shown) throw new ApiError('NotFound', `node "${name}" does not serve ${path}`);
    return shown;
  };

import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll } from 'vitest';
import { type ClusterRoles, startRoles } from '../e2e/cluster/roles.ts';
import { type ControlPlane, type ControlPlaneOptions, freePort, startControlPlane } from './controlPlane.ts';

/** A real control plane with Vireo on it: `install`, two controllers, two extensions and three nodes, all of them processes. */
export interface RealCluster extends ClusterRoles {
  readonly plane: ControlPlane;
}

/** Starts all of it before the tests of this file, and ends it after them. */
export function useRealCluster(options: ControlPlaneOptions = {}): () => RealCluster {
  let cluster: RealCluster | undefined;
  const stack = new AsyncDisposableStack();
  beforeAll(async () => {
    const plane = stack.use(await startControlPlane(options));
    const directory = join(plane.directory, 'roles');
    await mkdir(directory);
    const extensionPorts = [await freePort(), await freePort()];
    const uploadUrl = new URL(plane.url);
    uploadUrl.port = String(extensionPorts[0]);
    const roles = await startRoles({
      kubeconfig: plane.kubeconfig,
      directory,
      // A real API server forwards no uploads.
      uploadUrl: uploadUrl.origin,
      extensionPorts,
    });
    stack.defer(() => roles.close());
    cluster = Object.assign(roles, { plane });
  });
  afterAll(async () => {
    if (process.env.VIREO_CLUSTER_DEBUG) console.log(await cluster?.plane.output());
    await stack.disposeAsync();
  });
  return () => {
    if (!cluster) throw new Error('the cluster runs only while tests do');
    return cluster;
  };
}

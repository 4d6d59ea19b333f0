import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, vi } from 'vitest';
import { startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { clusterCases } from './cases/index.ts';
import { type ClusterRoles, startRoles } from './roles.ts';

// Whoever is killed has to be replaced first, and on a busy host each process takes its time to start.
vi.setConfig({ testTimeout: 240_000, maxConcurrency: 10 });

let server: Vireo | undefined;
let roles: ClusterRoles | undefined;
let remove = async (): Promise<void> => {};

/** The embedded API server as any other Kubernetes: without VMs of its own, and every role in a process of its own. */
beforeAll(async () => {
  const home = await temporaryHome();
  remove = home.remove;
  server = await startVireo({ home: join(home.home, 'server') });
  const directory = join(home.home, 'roles');
  await mkdir(directory);
  roles = await startRoles({
    kubeconfig: server.kubeconfig,
    directory,
    uploadUrl: `https://127.0.0.1:${server.port}`,
    nodeAddress: '127.0.0.1',
  });
}, 180_000);

afterAll(async () => {
  await roles?.close();
  await server?.kill();
  await remove();
}, 60_000);

clusterCases(() => {
  if (!roles) throw new Error('the cluster is there only while tests run');
  return roles;
});

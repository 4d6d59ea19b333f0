import { APIService, Deployment, findCondition, type UnknownObject } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../testing/cluster.ts';
import { observed } from '../testing/watching.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startControllers({ health: 'observed' });
});
afterAll(() => cluster.close());

it('an installation whose parts run elsewhere is available when its API is, and shows no Deployments', async () => {
  const available = (is: string) =>
    observed<KubeVirt>(
      cluster.admin,
      KubeVirt,
      ({ status }) => findCondition(status?.conditions, 'Available')?.status === is,
    );
  const before = await available('False');
  expect(findCondition(before.status?.conditions, 'Available')?.message).toBe('Not ready: virt-api.');
  await cluster.admin.of<UnknownObject>(APIService).create({
    metadata: { name: 'v1.subresources.kubevirt.io' },
    // One without a service is the server's own.
    spec: { group: 'subresources.kubevirt.io', version: 'v1', groupPriorityMinimum: 1000, versionPriority: 15 },
  });
  await available('True');
  expect((await cluster.admin.of(Deployment).list()).items).toEqual([]);
});

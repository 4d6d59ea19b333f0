import { PersistentVolumeClaim } from '@vireo/api';
import type { ApiCall, Transport } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { vmsOf } from '../../testing/harvester.ts';
import { type Installation, install } from '../../testing/installation.ts';

// What the action changes and refuses is in testing/contract/storageMigrations.ts.

const asked: ApiCall[] = [];
const heard = (transport: Transport): Transport => ({
  call(request) {
    asked.push(request);
    return transport.call(request);
  },
  watch: (request) => transport.watch(request),
  close: () => transport.close(),
});
let installation: Installation;
beforeAll(async () => {
  installation = await install({ through: heard });
});
afterAll(() => installation?.close());

it('a disk moves to another claim without a look at all claims and migrations of the namespace', async () => {
  const { server } = installation;
  const vms = vmsOf(installation);
  const resources = { requests: { storage: '1Gi' } };
  for (const name of ['old', 'new', 'bystander'])
    await server.client
      .of(PersistentVolumeClaim)
      .create({ metadata: { name, namespace: 'default' }, spec: { accessModes: ['ReadWriteOnce'], resources } });
  const spec = {
    domain: { devices: { disks: [{ name: 'data', disk: { bus: 'virtio' } }] }, memory: { guest: '64Mi' } },
    volumes: [{ name: 'data', persistentVolumeClaim: { claimName: 'old' } }],
  };
  await vms.createVm('web', 'Always', { template: { spec } });
  await vms.createVmi('web', { conditions: [{ type: 'StorageLiveMigratable', status: 'True' }] }, { spec });
  asked.length = 0;
  const path = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/web/storageMigration';
  const body = { sourceVolume: 'old', targetVolume: 'new' };
  const { status } = await (await server.overHttp()).call({ method: 'PUT', path, body });
  expect(status).toBe(204);
  const gets = asked.filter(({ method }) => method === 'GET');
  expect(gets.flatMap((each) => /persistentvolumeclaims.*/.exec(each.path) ?? []).sort()).toEqual([
    'persistentvolumeclaims/new',
    'persistentvolumeclaims/old',
  ]);
  const migrations = gets.filter((each) => each.path.endsWith('/virtualmachineinstancemigrations'));
  expect(migrations.map(({ query }) => query?.labelSelector)).toEqual(['kubevirt.io/vmi-name=web']);
});

import { PersistentVolumeClaim } from '@vireo/api';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installation, install } from '../../testing/installation.ts';
import { allow, testUser } from '../../testing/roles.ts';

const at = { namespace: 'default' };
let installation: Installation;
beforeAll(async () => {
  installation = await install();
  const { client } = installation.server;
  await allow(client, 'ada', [
    {
      apiGroups: ['subresources.harvesterhci.io'],
      resources: ['virtualmachines/insertCdRomVolume', 'virtualmachines/ejectCdRomVolume'],
      verbs: ['update', 'create'],
    },
    { apiGroups: ['harvesterhci.io'], resources: ['virtualmachineimages'], verbs: ['get'] },
  ]);
  const images = client.of(VirtualMachineImage);
  await images.create({ metadata: { name: 'installer', ...at }, spec: { displayName: 'x', sourceType: 'upload' } });
  const conditions = [{ type: 'Imported', status: 'True' }];
  await images.patchStatus('installer', { status: { conditions, virtualSize: 1 } }, { ...at, type: 'merge' });
  const disks = [{ name: 'cd', cdrom: { bus: 'sata' } }];
  await client.of(VirtualMachine).create({
    metadata: { name: 'web', ...at },
    spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: { disks }, memory: { guest: '64Mi' } } } } },
  });
});
afterAll(() => installation?.close());

it('whoever has the two names changes discs, and nothing else', async () => {
  const ada = installation.server.inProcess(testUser('ada'));
  const ask = async (group: string, action: string, body: object): Promise<number> => {
    const path = `/apis/${group}/namespaces/default/virtualmachines/web/${action}`;
    return (await ada.call({ method: 'PUT', path, body })).status;
  };
  const harvester = (action: string, body: object) => ask('subresources.harvesterhci.io/v1beta1', action, body);
  const kubevirt = (action: string, body: object) => ask('subresources.kubevirt.io/v1', action, body);
  const { client } = installation.server;
  const volumes = async () => (await client.of(VirtualMachine).get('web', at)).spec.template.spec?.volumes ?? [];

  const insert = { deviceName: 'cd', imageName: 'default/installer' };
  expect(await harvester('insertCdRomVolume', insert)).toBe(204);
  const [volume] = await volumes();
  expect(volume?.name).toBe('cd');
  expect(await harvester('ejectCdRomVolume', { deviceName: 'cd' })).toBe(204);
  expect(await volumes()).toEqual([]);
  const claims = (await client.of(PersistentVolumeClaim).list(at)).items;
  expect(claims.filter(({ metadata }) => metadata.deletionTimestamp === undefined)).toEqual([]);

  // An image of another namespace is not theirs to use.
  expect(await harvester('insertCdRomVolume', { ...insert, imageName: 'kube-system/installer' })).toBe(403);
  expect(await harvester('addVolume', { diskName: 'd', volumeSourceName: 'x' })).toBe(403);
  expect(await harvester('ejectCdRom', { diskNames: ['cd'] })).toBe(403);
  expect(await kubevirt('addvolume', { name: 'cd', volumeSource: {} })).toBe(403);
  expect(await kubevirt('removevolume', { name: 'cd' })).toBe(403);
});

it('an image that another namespace keeps to itself is refused, and taken once it is shared', async () => {
  const { client } = installation.server;
  const elsewhere = { namespace: 'kube-public' };
  const images = client.of(VirtualMachineImage);
  await images.create({ metadata: { name: 'theirs', ...elsewhere }, spec: { displayName: 'y', sourceType: 'upload' } });
  const conditions = [{ type: 'Imported', status: 'True' }];
  await images.patchStatus('theirs', { status: { conditions, virtualSize: 1 } }, { ...elsewhere, type: 'merge' });
  const path = '/apis/subresources.harvesterhci.io/v1beta1/namespaces/default/virtualmachines/web/insertCdRomVolume';
  const body = { deviceName: 'cd', imageName: 'kube-public/theirs' };
  const insert = () => client.call({ method: 'PUT', path, body });
  const live = async () =>
    (await client.of(PersistentVolumeClaim).list(at)).items.filter(({ metadata }) => !metadata.deletionTimestamp);
  await expect(insert()).rejects.toThrow('it is not shared with other namespaces');
  expect(await live()).toEqual([]);
  await images.patch(
    'theirs',
    { metadata: { labels: { 'vireo.io/image-shared': 'true' } } },
    { ...elsewhere, type: 'merge' },
  );
  await insert();
  expect(await live()).toHaveLength(1);
});

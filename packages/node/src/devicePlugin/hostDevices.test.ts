import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { hostDeviceOffers } from './hostDevices.ts';
import { makeTree, mediatedDevice, pciDevice, usbDevice } from './testing/sysfs.ts';

let root: string;
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'vireo-sysfs-'));
});
afterEach(() => rm(root, { recursive: true }));

const VFIO = '/dev/vfio/vfio';
const T4 = { pciVendorSelector: '10DE:1EB8', resourceName: 'nvidia.com/T4' };

it('PCI devices that vfio-pci has are offered by their IOMMU groups', async () => {
  await makeTree(root, {
    ...pciDevice('0000:65:00.0', '10DE:1EB8', 12, 'vfio-pci', 1),
    ...pciDevice('0000:66:00.0', '10DE:1EB8', 13),
    ...pciDevice('0000:67:00.0', '10DE:1EB8', 14, 'nvidia'),
    ...pciDevice('0000:68:00.0', '8086:10C9', 15),
  });
  await rm(join(root, '/dev/vfio/13'));
  expect(await hostDeviceOffers({ pciHostDevices: [T4] }, root)).toEqual([
    {
      resource: 'nvidia.com/T4',
      variable: 'PCI_RESOURCE_NVIDIA_COM_T4',
      units: [
        { id: '12', paths: [VFIO, '/dev/vfio/12'], value: '0000:65:00.0', numaNode: 1 },
        { id: '13', paths: [VFIO, '/dev/vfio/13'], value: '0000:66:00.0', problem: '/dev/vfio/13 does not exist' },
      ],
    },
  ]);
});

it('PCI devices of one IOMMU group go to one container', async () => {
  await makeTree(root, {
    ...pciDevice('0000:65:00.0', '10de:1eb8', 12),
    ...pciDevice('0000:65:00.1', '10de:1eb8', 12),
  });
  const [offer] = await hostDeviceOffers({ pciHostDevices: [T4] }, root);
  expect(offer?.units).toEqual([{ id: '12', paths: [VFIO, '/dev/vfio/12'], value: '0000:65:00.0,0000:65:00.1' }]);
});

it('mediated devices are selected by their type, with _ for spaces', async () => {
  const [first, second] = ['11111111-1111-1111-1111-111111111111', '22222222-2222-2222-2222-222222222222'] as const;
  await makeTree(root, {
    ...pciDevice('0000:65:00.0', '10DE:1EB8', 11, 'nvidia', 0),
    ...mediatedDevice(first, 'GRID T4-1Q', 20, '0000:65:00.0'),
    ...mediatedDevice(second, 'GRID T4-2Q', 21, '0000:65:00.0'),
  });
  const resourceName = 'nvidia.com/GRID_T4-1Q';
  for (const mdevNameSelector of ['GRID T4-1Q', 'GRID_T4-1Q'])
    expect(await hostDeviceOffers({ mediatedDevices: [{ mdevNameSelector, resourceName }] }, root)).toEqual([
      {
        resource: resourceName,
        variable: 'MDEV_PCI_RESOURCE_NVIDIA_COM_GRID_T4-1Q',
        units: [{ id: '20', paths: [VFIO, '/dev/vfio/20'], value: first, numaNode: 0 }],
      },
    ]);
});

it('USB devices are offered in groups, one device for each selector', async () => {
  await makeTree(root, {
    ...usbDevice('1-1', '46f4/1', 1, 2),
    ...usbDevice('1-2', '46f4/1', 1, 3),
    ...usbDevice('2-1', '1d6b/104', 2, 7),
  });
  const selectors = [
    { vendor: '46f4', product: '0001' },
    { vendor: '1D6B', product: '0104' },
  ];
  expect(await hostDeviceOffers({ usb: [{ resourceName: 'kubevirt.io/pair', selectors }] }, root)).toEqual([
    {
      resource: 'kubevirt.io/pair',
      variable: 'USB_RESOURCE_KUBEVIRT_IO_PAIR',
      units: [
        {
          id: 'kubevirt.io-pair-1.2-2.7',
          paths: ['/dev/bus/usb/001/002', '/dev/bus/usb/002/007'],
          value: '1:2,2:7',
        },
      ],
    },
  ]);
  const storage = { resourceName: 'kubevirt.io/storage', selectors: selectors.slice(0, 1) };
  const [offer] = await hostDeviceOffers({ usb: [storage] }, root);
  expect(offer?.units.map(({ value }) => value)).toEqual(['1:2', '1:3']);
});

it.each([
  ['nothing is permitted', undefined],
  ['the host has none of it', { usb: [{ resourceName: 'kubevirt.io/x', selectors: [{ vendor: '1', product: '2' }] }] }],
  ['somebody else brings it', { pciHostDevices: [{ ...T4, externalResourceProvider: true }] }],
])('there is no offer where %s', async (_, permitted) => {
  await makeTree(root, pciDevice('0000:65:00.0', '10DE:1EB8', 12));
  expect(await hostDeviceOffers(permitted, root)).toEqual([]);
});

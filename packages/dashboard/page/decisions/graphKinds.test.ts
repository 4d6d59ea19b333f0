import { expect, it } from 'vitest';
import { dependentsPath, objectPath, pageOf } from './graphKinds.ts';
import type { GraphObject } from './graphModel.ts';

const object = (group: string, kind: string, namespace = 'shop'): GraphObject => ({
  key: kind,
  group,
  kind,
  name: 'a b',
  namespace,
  type: 'config',
  status: 'present',
  isOptional: false,
  isTruncated: false,
  count: 1,
});

it.each([
  ['', 'Secret', 'shop', '/api/v1/namespaces/shop/secrets/a%20b'],
  ['storage.k8s.io', 'StorageClass', '', '/apis/storage.k8s.io/v1/storageclasses/a%20b'],
  [
    'harvesterhci.io',
    'ScheduleVMBackup',
    'shop',
    '/apis/harvesterhci.io/v1beta1/namespaces/shop/schedulevmbackups/a%20b',
  ],
  [
    'harvesterhci.io',
    'VirtualMachineRestore',
    'shop',
    '/apis/harvesterhci.io/v1beta1/namespaces/shop/virtualmachinerestores/a%20b',
  ],
  [
    'snapshot.kubevirt.io',
    'VirtualMachineRestore',
    'shop',
    '/apis/snapshot.kubevirt.io/v1beta1/namespaces/shop/virtualmachinerestores/a%20b',
  ],
  ['cdi.kubevirt.io', 'DataImportCron', 'shop', '/apis/cdi.kubevirt.io/v1beta1/namespaces/shop/dataimportcrons/a%20b'],
  ['example.com', 'Secret', 'shop', undefined],
  ['', 'toString', 'shop', undefined],
])('an object of %s/%s in %s is at %s', (group, kind, namespace, path) => {
  expect(objectPath(object(group, kind, namespace))).toBe(path);
});

it('who needs an object can be asked of kinds that machines name', () => {
  expect(dependentsPath(object('', 'Secret'))).toBe(
    '/apis/subresources.kubevirt.io/v1/namespaces/shop/secrets/a%20b/dependents',
  );
  expect(dependentsPath(object('', 'Pod'))).toBeUndefined();
});

it('objects have the pages that show them', () => {
  const machine = { namespace: 'shop', name: 'web' };
  expect(pageOf(object('kubevirt.io', 'VirtualMachine'), machine)?.href).toBe('/machines/shop/a b');
  expect(pageOf(object('', 'PersistentVolumeClaim'), machine)).toEqual({
    href: '/machines/shop/web/disks',
    title: 'Disks of web',
  });
  expect(pageOf(object('', 'Secret'), machine)).toBeUndefined();
});

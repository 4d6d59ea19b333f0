import { forbidden, type Node, type StorageClass } from '@vireo/api';
import type { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { Client, type Transport } from '@vireo/kube';
import { describe, expect, it } from 'vitest';
import { claimOfDataVolume, mostFreeBytes, spaceWarning, spaceWarnings } from './claimSpace.ts';

const GIB = 1024 ** 3;
const node = (free?: string): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n', ...(free && { annotations: { 'vireo.dev/free-storage': free } }) },
});
const storageClass = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: 'vireo.io/local',
  ...more,
});
const classes = [
  storageClass('strict', { parameters: { allowOvercommit: 'false' } }),
  storageClass('elsewhere', { provisioner: 'example.com/nfs' }),
  storageClass('local', {
    metadata: { name: 'local', annotations: { 'storageclass.kubernetes.io/is-default-class': 'true' } },
  }),
];

it.each([
  ['none that tells', [node()], undefined],
  ['several', [node('1024'), node('4096'), node()], 4096],
  ['one that tells nonsense', [node('1024'), node('plenty')], 1024],
])('what is free on nodes is the most of them: %s', (_, nodes, free) => {
  expect(mostFreeBytes(nodes)).toBe(free);
});

describe('a claim that is larger than what is free', () => {
  const lack = 'PersistentVolumeClaim db requests 64 GiB, but no node has more than 60 GiB free';
  it.each([
    [
      undefined,
      `${lack}: its disk takes space as the guest writes to it, and the guest is paused if the node runs out of space`,
    ],
    ['strict', `${lack}: it stays Pending until there is room, because StorageClass strict does not allow overcommit`],
    ['elsewhere', undefined],
    ['missing', undefined],
  ])('of class %s is warned of: %s', (storageClassName, warning) => {
    const claim = { what: 'PersistentVolumeClaim db', sizeBytes: 64 * GIB, storageClassName };
    expect(spaceWarning(claim, 60 * GIB, classes)).toBe(warning);
  });
});

it('a DataVolume that names no class is judged by the default class for VMs, as its claim will have it', () => {
  const virt = { 'storageclass.kubevirt.io/is-default-virt-class': 'true' };
  const all = [...classes, storageClass('vms', { metadata: { name: 'vms', annotations: virt }, provisioner: 'x/nfs' })];
  const requests = { resources: { requests: { storage: '64Gi' } } };
  const warned = (spec: DataVolume['spec']) =>
    claimOfDataVolume(spec, 'web').map((claim) => spaceWarning(claim, 60 * GIB, all) !== undefined);
  expect([warned({ storage: requests }), warned({ pvc: requests })]).toEqual([[false], [true]]);
});

it('a claim is admitted without a warning when nodes cannot be listed', async () => {
  const call: Transport['call'] = () => Promise.reject(forbidden({ group: '', resource: 'nodes' }, '', 'no access'));
  const client = new Client({ call, watch: () => Promise.reject(new Error('not asked')), close: async () => {} });
  expect(await spaceWarnings([{ what: 'DataVolume web', sizeBytes: GIB }], client)).toEqual([]);
});

it.each<[string, DataVolume['spec'], number | undefined]>([
  ['storage', { storage: { resources: { requests: { storage: '2Gi' } } } }, 2 * GIB],
  ['pvc', { pvc: { resources: { requests: { storage: '1Gi' } } } }, GIB],
  ['a size that follows from the source', { storage: {} }, undefined],
  ['a size that is none', { storage: { resources: { requests: { storage: 'much' } } } }, undefined],
])('a DataVolume with %s requests what it says', (_, spec, bytes) => {
  expect(claimOfDataVolume(spec, 'web')[0]?.sizeBytes).toBe(bytes);
});

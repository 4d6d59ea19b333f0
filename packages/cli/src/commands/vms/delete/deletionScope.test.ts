import { persisted } from '@vireo/api/testing/persisted.ts';
import { vmWith } from '@vireo/extension/testing/vms.ts';
import { expect, it } from 'vitest';
import { deletionScope } from './deletionScope.ts';

const claim = (name: string, owner?: string) =>
  persisted({
    apiVersion: 'v1',
    kind: 'PersistentVolumeClaim',
    metadata: {
      name,
      ...(owner && { ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'owner', uid: owner }] }),
    },
    spec: { resources: { requests: { storage: '5Gi' } } },
  }) as never;

it('claims that were made for a VM go with it; those that it only uses, and snapshots, stay', () => {
  const volumes = ['root', 'data', 'gone'].map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
  const vm = vmWith({ template: { spec: { domain: { devices: {} }, volumes } } });
  const dataVolume = persisted({
    apiVersion: 'cdi.kubevirt.io/v1beta1',
    kind: 'DataVolume',
    metadata: { name: 'root', ownerReferences: [{ apiVersion: 'v1', kind: 'VM', name: 'web', uid: 'vm-uid' }] },
    spec: {},
  });
  const snapshot = (name: string, source: string) =>
    persisted({
      apiVersion: 'snapshot.kubevirt.io/v1beta1',
      kind: 'VirtualMachineSnapshot',
      metadata: { name },
      spec: { source: { kind: 'VirtualMachine', name: source } },
    });
  expect(
    deletionScope(
      { vm },
      {
        claims: [claim('root', 'uid-root'), claim('data'), claim('other'), claim('direct', 'vm-uid')],
        dataVolumes: [dataVolume],
        snapshots: [snapshot('before', 'web'), snapshot('elsewhere', 'db')],
      },
    ),
  ).toEqual({
    goes: ['claim root (5Gi)', 'claim direct (5Gi)'],
    stays: ['claim data (5Gi)', 'snapshot before'],
    command: 'kubectl delete pvc data -n default; kubectl delete vmsnapshot before -n default',
  });
});

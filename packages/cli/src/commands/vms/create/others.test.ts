import { expect, it } from 'vitest';
import { cloneManifest, instancetypeManifest, preferenceManifest } from './others.ts';

it('an instancetype is cluster-wide, unless a namespace is meant', () => {
  expect(instancetypeManifest({ cpu: 2, memory: '1Gi' })).toMatchObject({
    kind: 'VirtualMachineClusterInstancetype',
    metadata: { name: expect.stringMatching(/^clusterinstancetype-.{5}$/) },
    spec: { cpu: { guest: 2 }, memory: { guest: '1Gi' } },
  });
  expect(
    instancetypeManifest({ cpu: 1, memory: '1Gi', namespace: 'lab', gpu: ['name:g,devicename:nvidia.com/a'] }),
  ).toMatchObject({
    kind: 'VirtualMachineInstancetype',
    metadata: { name: expect.stringMatching(/^instancetype-.{5}$/), namespace: 'lab' },
    spec: { gpus: [{ name: 'g', deviceName: 'nvidia.com/a' }] },
  });
});

it('a preference has what was preferred', () => {
  expect(
    preferenceManifest({
      name: 'p',
      namespaced: true,
      cpuTopology: 'cores',
      machineType: 'q35',
      volumeStorageClass: 's',
    }),
  ).toMatchObject({
    kind: 'VirtualMachinePreference',
    metadata: { name: 'p' },
    spec: {
      cpu: { preferredCPUTopology: 'cores' },
      machine: { preferredMachineType: 'q35' },
      volumes: { preferredStorageClassName: 's' },
    },
  });
});

it('a clone has source, target and what is to differ', () => {
  expect(
    cloneManifest({
      sourceName: 'old',
      sourceType: 'vmsnapshot',
      targetName: 'new',
      newMacAddress: ['default:02:00:00:00:00:01'],
    }),
  ).toMatchObject({
    spec: {
      source: { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: 'old' },
      target: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'new' },
      newMacAddresses: { default: '02:00:00:00:00:01' },
    },
  });
});

it.each([
  [() => instancetypeManifest({ cpu: 0, memory: '1Gi' }), 'cpu value must be greater than zero'],
  [() => instancetypeManifest({ cpu: 1, memory: 'lots' }), 'quantities must match'],
  [
    () => instancetypeManifest({ cpu: 1, memory: '1Gi', gpu: ['name:g'] }),
    'failed to parse "--gpu" flag: deviceName must be specified',
  ],
  [
    () => instancetypeManifest({ cpu: 1, memory: '1Gi', iothreadspolicy: 'x' }),
    'IOThread must be of value auto or shared',
  ],
  [
    () => preferenceManifest({ cpuTopology: 'x' }),
    'CPU topology must have a value of sockets, cores, threads or spread',
  ],
  [
    () => cloneManifest({ sourceName: 'a', sourceType: 'pvc' }),
    'source type pvc is not supported. Supported types: vm, vmsnapshot',
  ],
  [
    () => cloneManifest({ sourceName: 'a', targetType: 'snapshot' }),
    'target type snapshot is not supported. Supported types: vm',
  ],
  [() => cloneManifest({ sourceName: 'a', newMacAddress: [':b'] }), 'has empty interface name'],
])('mistake %#', (make, message) => {
  expect(make).toThrow(message);
});

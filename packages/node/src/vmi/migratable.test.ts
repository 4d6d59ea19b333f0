import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { describe, expect, it } from 'vitest';
import { vmiIn } from '../testing/objects.ts';
import { migrationConditions } from './migratable.ts';

const of = (spec: Partial<VirtualMachineInstance['spec']>, accessModes: string[] = []) => {
  const claimed = { name: 'v', target: 'vda', persistentVolumeClaimInfo: { claimName: 'data', accessModes } };
  const { LiveMigratable: whole, StorageLiveMigratable: rest } = migrationConditions({
    ...vmiIn('Running', {}, spec),
    status: { volumeStatus: [claimed] },
  });
  return [whole.status, whole.reason, rest.status, rest.reason];
};
const claim = { name: 'v', persistentVolumeClaim: { claimName: 'data' } };
const onPodNetwork = {
  networks: [{ name: 'default', pod: {} }],
  domain: { devices: { interfaces: [{ name: 'default', masquerade: {} }] } },
};

describe('a guest can move', () => {
  it.each([
    ['with nothing of its own', {}, []],
    ['with a claim that many may use', { volumes: [claim] }, ['ReadWriteMany']],
    ['with cloud-init data, which is made anew', { volumes: [{ name: 'v', cloudInitNoCloud: { userData: 'x' } }] }, []],
  ])('%s', (_, spec, modes) => {
    expect(of(spec, modes)).toEqual(['True', undefined, 'True', undefined]);
  });
});

describe('a guest cannot move', () => {
  it.each([
    ['with a claim of one node', { volumes: [claim] }, ['ReadWriteOnce']],
    ['with a container disk', { volumes: [{ name: 'v', containerDisk: { image: 'x' } }] }, []],
    ['with a disk of its host', { volumes: [{ name: 'v', hostDisk: { path: '/x', type: 'Disk' } }] }, []],
  ])('%s, but its disk could', (_, spec, modes) => {
    expect(of(spec, modes)).toEqual(['False', 'DisksNotLiveMigratable', 'True', undefined]);
  });

  it("on QEMU's own network, and its disks neither", () => {
    expect(of(onPodNetwork)).toEqual(['False', 'InterfaceNotLiveMigratable', 'False', 'NotMigratable']);
  });
});

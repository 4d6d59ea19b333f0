import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { describe, expect, it } from 'vitest';
import { remainingRequests, withRequested } from './volumeRequests.ts';

type Spec = Vmi['spec'];

const spec = (claim?: string): Spec => ({
  domain: { devices: { disks: [{ name: 'cd', cdrom: { bus: 'sata' } }] } },
  volumes: claim ? [{ name: 'cd', persistentVolumeClaim: { claimName: claim, hotpluggable: true } }] : [],
});
const insert = {
  addVolumeOptions: { name: 'cd', volumeSource: { persistentVolumeClaim: { claimName: 'iso' } } },
};
const eject = { removeVolumeOptions: { name: 'cd', diskRetentionPolicy: 'keep' as const } };

describe('a request', () => {
  it('puts a disc into a drive, and another in its place', () => {
    expect(withRequested(spec(), insert)).toEqual(spec('iso'));
    expect(withRequested(spec('old'), insert)).toEqual(spec('iso'));
  });

  it('plugs a disk in with its volume', () => {
    const disk = { name: 'other', disk: { bus: 'scsi' } };
    const after = withRequested(spec(), { addVolumeOptions: { ...insert.addVolumeOptions, name: 'data', disk } });
    expect(after.domain.devices?.disks?.at(-1)).toEqual({ name: 'data', disk: { bus: 'scsi' } });
    expect(after.volumes?.at(-1)).toEqual({
      name: 'data',
      persistentVolumeClaim: { claimName: 'iso', hotpluggable: true },
    });
  });

  it('takes a disc out; the drive goes with it unless it is kept', () => {
    expect(withRequested(spec('iso'), eject)).toEqual(spec());
    const { domain } = withRequested(spec('iso'), { removeVolumeOptions: { name: 'cd' } });
    expect(domain.devices?.disks).toEqual([]);
  });
});

it('a request stays until the VM and the VMI that runs follow it', () => {
  const vm = (claim: string | undefined): Vm =>
    ({ metadata: {}, spec: { template: { spec: spec(claim) } }, status: { volumeRequests: [insert] } }) as Vm;
  const vmi = (claim: string | undefined, phase = 'Running'): Vmi =>
    ({ metadata: {}, spec: spec(claim), status: { phase } }) as Vmi;
  expect(remainingRequests(vm(undefined), undefined)).toEqual([insert]);
  expect(remainingRequests(vm('iso'), vmi(undefined))).toEqual([insert]);
  expect(remainingRequests(vm('iso'), vmi(undefined, 'Succeeded'))).toBeUndefined();
  expect(remainingRequests(vm('iso'), vmi('iso'))).toBeUndefined();
});

import { expect, it } from 'vitest';
import { vmWith } from '../testing/objects.ts';
import { firmwareUuid } from './firmware.ts';
import { vmiFromVm } from './vmiFromVm.ts';

const vm = vmWith({
  template: {
    metadata: { labels: { app: 'web' }, annotations: { note: 'x' }, name: 'ignored', creationTimestamp: undefined },
    spec: { domain: { devices: {}, machine: { type: 'q35' } }, terminationGracePeriodSeconds: 7 },
  },
});

it('a VMI is made from the template', () => {
  expect(vmiFromVm(vm, { paused: false })).toEqual({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: 'web',
      namespace: 'shop',
      labels: { app: 'web' },
      annotations: { note: 'x', 'kubevirt.io/vm-generation': '3' },
      finalizers: ['kubevirt.io/virtualMachineControllerFinalize'],
      ownerReferences: [
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachine',
          name: 'web',
          uid: 'vm-uid',
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      domain: { devices: {}, machine: { type: 'q35' }, firmware: { uuid: firmwareUuid(vm) } },
      terminationGracePeriodSeconds: 7,
    },
    status: { virtualMachineRevisionName: 'revision-start-vm-vm-uid-3' },
  });
});

it('a VMI of a paused start has its guest paused', () => {
  expect(vmiFromVm(vm, { paused: true }).spec.startStrategy).toBe('Paused');
});

it('a VMI has the firmware UUID that the VM names', () => {
  expect(vmiFromVm(vmWith(), { paused: false }).spec.domain.firmware?.uuid).toBe('u');
});

it('the error for an empty template names the VM', () => {
  expect(() => vmiFromVm(vmWith({ template: {} }), { paused: false })).toThrow(
    'VirtualMachine shop/web: spec.template.spec is missing',
  );
});

it('the firmware UUID is derived from the name, as RFC 4122 does for version 5', () => {
  // Computed with Python: uuid.uuid5(uuid.UUID('6a1a24a1-4061-4607-8bf4-a3963d0c5895'), 'web')
  expect(firmwareUuid(vm)).toBe('d32ff544-f682-571b-8677-3762f07ab8a4');
});

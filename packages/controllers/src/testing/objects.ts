import type { KubeObject, ObjectMeta, Persisted } from '@vireo/api';
import { deepFreeze } from '@vireo/api/json.ts';
import { VM_FINALIZER, VMI_FINALIZER } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';

/** As informers hand it out. */
export const frozen = <T extends KubeObject>(object: T): Persisted<T> => deepFreeze(persisted(object));

/** A VM for tables of cases. */
export const vmWith = (spec: Partial<Vm['spec']> = {}, status: VmStatus = {}, metadata: ObjectMeta = {}): Vm =>
  frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'vm-uid',
      generation: 3,
      resourceVersion: '7',
      finalizers: [VM_FINALIZER],
      ...metadata,
    },
    spec: {
      runStrategy: 'Always',
      template: { metadata: { labels: { app: 'web' } }, spec: { domain: { devices: {}, firmware: { uuid: 'u' } } } },
      ...spec,
    },
    status,
  });

/** The VMI of that VM. */
export const vmiWith = (status: VmiStatus = {}, metadata: ObjectMeta = {}, spec: Partial<Vmi['spec']> = {}): Vmi =>
  frozen({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: {
      name: 'web',
      namespace: 'shop',
      uid: 'vmi-uid',
      resourceVersion: '9',
      finalizers: [VM_FINALIZER, VMI_FINALIZER],
      ownerReferences: [
        { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachine', name: 'web', uid: 'vm-uid', controller: true },
      ],
      ...metadata,
    },
    spec: { domain: { devices: {}, firmware: { uuid: 'u' } }, ...spec },
    status,
  });

/** For `metadata`: an object that is on its way out. */
export const deleting = { deletionTimestamp: '2026-01-01T00:00:00Z' };

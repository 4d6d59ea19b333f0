import type { ObjectMeta, Persisted, Pod } from '@vireo/api';
import { CREATED_BY_LABEL, UNPAUSED_CONDITION } from '@vireo/api/kinds/kubevirt/names.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';

export const UID = '11111111-2222-4333-8444-555555555555';

/** A VMI in a phase. */
export const vmiIn = (phase: string, metadata: ObjectMeta = {}, spec: Partial<Vmi['spec']> = {}): Vmi =>
  persisted({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstance',
    metadata: { name: 'web', namespace: 'shop', uid: UID, ...metadata },
    spec: { domain: { devices: {} }, ...spec },
    status: { phase },
  });

/** A launcher in a phase. */
export const podIn = (phase: string, metadata: ObjectMeta = {}, status: Partial<Pod['status']> = {}): Persisted<Pod> =>
  persisted<Pod>({
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: 'virt-launcher-web-x',
      namespace: 'shop',
      labels: { [CREATED_BY_LABEL]: UID },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: UID }],
      ...metadata,
    },
    spec: {
      readinessGates: [{ conditionType: UNPAUSED_CONDITION }],
      containers: [{ name: 'compute', image: 'vireo/virt-launcher', command: ['launcher', '--hypervisor', 'kvm'] }],
    },
    status: { phase, ...status },
  });

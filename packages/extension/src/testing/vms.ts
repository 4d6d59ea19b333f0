import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

type VmParts = Partial<VirtualMachine['spec']> & { status?: VirtualMachine['status'] };

/** A VM called `web`; without a run strategy it is halted. */
export function vmWith({ status, ...spec }: VmParts = {}): Vm {
  const strategy = 'running' in spec || 'runStrategy' in spec ? {} : { runStrategy: 'Halted' };
  return {
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachine',
    metadata: {
      name: 'web',
      namespace: 'default',
      uid: 'vm-uid',
      resourceVersion: '7',
      creationTimestamp: '2026-01-01T00:00:00Z',
    },
    spec: { ...strategy, template: { spec: { domain: { devices: {} } } }, ...spec },
    ...(status && { status }),
  };
}

export interface VmiParts {
  readonly phase?: string;
  /** Types of conditions that are true. */
  readonly conditions?: readonly string[];
  readonly spec?: Partial<VirtualMachineInstance['spec']>;
  readonly status?: VirtualMachineInstance['status'];
}

/** The VMI of that VM, on node `n1` with one network card. */
export const vmiWith = ({ phase = 'Running', conditions = [], spec, status }: VmiParts = {}): Vmi => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: {
    name: 'web',
    namespace: 'default',
    uid: 'vmi-uid',
    resourceVersion: '8',
    creationTimestamp: '2026-01-01T00:00:00Z',
  },
  spec: { domain: { devices: {} }, ...spec },
  status: {
    phase,
    nodeName: 'n1',
    interfaces: [{ name: 'default', ipAddress: '10.0.0.2' }],
    conditions: conditions.map((type) => ({ type, status: 'True' })),
    ...status,
  },
});

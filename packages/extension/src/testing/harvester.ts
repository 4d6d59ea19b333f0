import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Client } from '@vireo/kube';
import type { Installation } from './installation.ts';

const at = { namespace: 'default' };
const template = { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } };

/** VMs and VMIs on a server without controllers: what they are in is written as the controllers would. */
export function vmsOf({ server }: Installation) {
  const vms = server.client.of(VirtualMachine);
  const component = new Client(
    server.inProcess({
      username: 'system:serviceaccount:kubevirt:kubevirt-handler',
      groups: ['system:masters', 'system:authenticated'],
    }),
  );
  return {
    vms,
    vmis: server.client.of(VirtualMachineInstance),
    createVm: (name: string, runStrategy = 'Halted', spec: Partial<VirtualMachine['spec']> = {}) =>
      vms.create({ metadata: { name, ...at }, spec: { runStrategy, template, ...spec } }),
    patchVmStatus: (name: string, status: object) => vms.patchStatus(name, { status }, { ...at, type: 'merge' }),
    /** A VMI on node `n1` that runs. */
    async createVmi(
      name: string,
      status: object = {},
      { metadata, spec }: Partial<Pick<VirtualMachineInstance, 'metadata' | 'spec'>> = {},
    ) {
      await server.client
        .of(VirtualMachineInstance)
        .create({ metadata: { name, ...at, ...metadata }, spec: { ...template.spec, ...spec } });
      return component
        .of(VirtualMachineInstance)
        .patch(name, { status: { phase: 'Running', nodeName: 'n1', ...status } }, { ...at, type: 'merge' });
    },
  };
}

export const PAUSED = { conditions: [{ type: 'Paused', status: 'True' }] };

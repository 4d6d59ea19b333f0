import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client } from '@vireo/kube';
import type { Follower } from './follower.ts';
import { NAMESPACE, vm, vmi } from './objects.ts';

/** What is created: a VM with its VMI, or a VMI alone. */
export type VmKind = 'vm' | 'vmi';

/** Resolves when the server has acknowledged it. */
export async function create(client: Client, kind: VmKind, name: string): Promise<void> {
  if (kind === 'vm') await client.of(VirtualMachine).create(vm(name));
  else await client.of(VirtualMachineInstance).create(vmi(name));
}

/** Resolves when nothing is left of it. */
export async function remove(client: Client, follower: Follower, kind: VmKind, name: string): Promise<void> {
  const options = { namespace: NAMESPACE };
  if (kind === 'vm') await client.of(VirtualMachine).delete(name, options);
  else await client.of(VirtualMachineInstance).delete(name, options);
  await follower.gone(name);
}

import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client } from '@vireo/kube';
import type { Follower } from './follower.ts';
import { instance, machine, NAMESPACE } from './objects.ts';

/** What is created: a machine with its instance, or an instance alone. */
export type MachineKind = 'vm' | 'vmi';

/** Resolves when the server has acknowledged it. */
export async function create(client: Client, kind: MachineKind, name: string): Promise<void> {
  if (kind === 'vm') await client.of(VirtualMachine).create(machine(name));
  else await client.of(VirtualMachineInstance).create(instance(name));
}

/** Resolves when nothing is left of it. */
export async function remove(client: Client, follower: Follower, kind: MachineKind, name: string): Promise<void> {
  const options = { namespace: NAMESPACE };
  if (kind === 'vm') await client.of(VirtualMachine).delete(name, options);
  else await client.of(VirtualMachineInstance).delete(name, options);
  await follower.gone(name);
}

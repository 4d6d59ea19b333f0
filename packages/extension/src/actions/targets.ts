import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client } from '@vireo/kube';
import type { ActionResource, Targets } from './action.ts';
import { AbsentTarget } from './refusals.ts';
import { RESOURCES } from './resources.ts';

/** Reads what an action looks at: from the server, since users act on what they have just seen. */
export async function readTarget(
  client: Client,
  resource: ActionResource,
  namespace: string | undefined,
  name: string,
): Promise<Targets[ActionResource]> {
  const vms = client.of(VirtualMachine);
  const vmis = client.of(VirtualMachineInstance);
  if (resource === 'virtualmachines') {
    const [vm, vmi] = await Promise.all([vms.find(name, { namespace }), vmis.find(name, { namespace })]);
    if (!vm) throw new AbsentTarget(resource, name);
    return { vm, vmi };
  }
  if (resource === 'virtualmachineinstances') {
    const vmi = await vmis.find(name, { namespace });
    if (!vmi) throw new AbsentTarget(resource, name);
    const owner = vmi.metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === 'VirtualMachine');
    return { vmi, vm: owner && (await vms.find(owner.name, { namespace })) };
  }
  const kind = RESOURCES[resource];
  const object = await client.of(kind).find(name, { namespace: kind.namespaced ? namespace : undefined });
  if (!object) throw new AbsentTarget(resource, name);
  // Of the kind that the resource names.
  return { object } as unknown as Targets[ActionResource];
}

import { isReason, type KubeObject } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Client, ResourceClient } from '@vireo/kube';
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
    const [vm, vmi] = await Promise.all([find(vms, namespace, name), find(vmis, namespace, name)]);
    if (!vm) throw new AbsentTarget(resource, name);
    return { vm, vmi };
  }
  if (resource === 'virtualmachineinstances') {
    const vmi = await find(vmis, namespace, name);
    if (!vmi) throw new AbsentTarget(resource, name);
    const owner = vmi.metadata.ownerReferences?.find(({ controller, kind }) => controller && kind === 'VirtualMachine');
    return { vmi, vm: owner && (await find(vms, namespace, owner.name)) };
  }
  const kind = RESOURCES[resource];
  const object = await find(client.of(kind), kind.namespaced ? namespace : undefined, name);
  if (!object) throw new AbsentTarget(resource, name);
  // Of the kind that the resource names.
  return { object } as unknown as Targets[ActionResource];
}

async function find<T extends KubeObject>(
  resource: ResourceClient<T>,
  namespace: string | undefined,
  name: string,
): Promise<T | undefined> {
  try {
    return await resource.get(name, { namespace });
  } catch (error) {
    if (isReason(error, 'NotFound')) return undefined;
    throw error;
  }
}

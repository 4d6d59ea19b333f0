import { Pod } from '@vireo/api';
import { CREATED_BY_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Connection } from '../connection.ts';

/** The address of a VM that others reach; undefined for one behind its node, and for users who may not see pods. */
export async function guestAddress({ client, namespace }: Connection, name: string): Promise<string | undefined> {
  try {
    const vmi = await client.of(VirtualMachineInstance).find(name, { namespace });
    if (!vmi) return undefined;
    const labelSelector = `${CREATED_BY_LABEL}=${vmi.metadata.uid}`;
    const { items } = await client.of(Pod).list({ namespace, labelSelector });
    return items.map(({ status }) => status).find((status) => status?.podIP && status.podIP !== status.hostIP)?.podIP;
  } catch {
    // Worth having, not worth failing for.
    return undefined;
  }
}

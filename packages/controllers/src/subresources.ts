import { SUBRESOURCE_GROUP } from '@vireo/api/kinds/kubevirt/names.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { type Client, resourcePath } from '@vireo/kube';

/** What is asked of VMs and their guests through their subresources, as any client asks. */
export interface SubresourceCalls {
  /** Freezes the file systems of a guest, for so long at most. */
  freeze(vmi: Vmi, forMs: number): Promise<void>;
  thaw(vmi: Vmi): Promise<void>;
  stop(vm: Vm): Promise<void>;
}

export function subresourceCalls(client: Client): SubresourceCalls {
  const put = async (kind: typeof Vm | typeof Vmi, of: Vm | Vmi, subresource: string, body?: object): Promise<void> => {
    const { name, namespace } = of.metadata;
    const path = resourcePath({ ...kind, group: SUBRESOURCE_GROUP }, { name, namespace, subresource });
    await client.call({ method: 'PUT', path, ...(body && { body }) });
  };
  return {
    freeze: (vmi, forMs) => put(Vmi, vmi, 'freeze', { unfreezeTimeout: `${Math.ceil(forMs / 1000)}s` }),
    thaw: (vmi) => put(Vmi, vmi, 'unfreeze'),
    stop: (vm) => put(Vm, vm, 'stop', {}),
  };
}

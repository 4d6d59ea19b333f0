import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { type ControllerContext, runController } from '@vireo/kube';
import { quotaNotice } from './decide.ts';

/** Tells Harvester's clients, by an annotation, of VMs that a ResourceQuota does not let start. */
export async function startQuotaNoticeController(context: ControllerContext, signal: AbortSignal): Promise<void> {
  const { client, informers } = context;
  const vms = informers.for(Vm);
  const vmis = informers.for(VirtualMachineInstance);
  const reconcile = async (key: string): Promise<void> => {
    const vm = vms.get(key);
    const annotations = vm && quotaNotice(vm, vmis.get(key));
    if (annotations) await client.of(Vm).patchIfUnchanged(vm, { metadata: { annotations } });
  };
  await runController({ name: 'quotanotice', for: vms, owns: [vmis], reconcile }, context, signal);
}

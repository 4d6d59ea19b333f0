import { conditionOf, isDeleting, type Persisted } from '@vireo/api';
import { INSUFFICIENT_QUOTA, QUOTA_DISMISSED } from '@vireo/api/kinds/harvester/names.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** What a VM's annotations should become; null removes one. Undefined: they are as they should be. */
export function quotaNotice(
  { metadata }: Vm,
  vmi: Persisted<VirtualMachineInstance> | undefined,
): Record<string, string | null> | undefined {
  const { annotations = {} } = metadata;
  if (isDeleting({ metadata }) || !vmi) return undefined;
  if (isRunning(vmi)) {
    const old = [INSUFFICIENT_QUOTA, QUOTA_DISMISSED].filter((name) => name in annotations);
    return old.length > 0 ? Object.fromEntries(old.map((name) => [name, null])) : undefined;
  }
  const problem = quotaProblem(vmi);
  // Whoever has dismissed it of this VMI knows.
  if (!problem || annotations[QUOTA_DISMISSED] === vmi.metadata.uid) return undefined;
  return annotations[INSUFFICIENT_QUOTA] === problem ? undefined : { [INSUFFICIENT_QUOTA]: problem };
}

/** Why a ResourceQuota does not let the launcher of a VMI be made. */
function quotaProblem(vmi: VirtualMachineInstance): string | undefined {
  const { status, message = '' } = conditionOf(vmi, 'Synchronized') ?? {};
  const at = message.indexOf('exceeded quota');
  return status === 'False' && at >= 0 ? message.slice(at) : undefined;
}

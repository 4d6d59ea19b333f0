import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { guestMemoryBytes, hasPassthrough } from './domainSpec.ts';

/** Whether the guest's memory must stay where it is, whichever hypervisor runs it. */
export const pinsMemory = ({ spec }: VirtualMachineInstance): boolean => {
  const { cpu, launchSecurity } = spec.domain;
  const isProtected = launchSecurity?.sev ?? launchSecurity?.snp ?? launchSecurity?.tdx;
  return hasPassthrough(spec) || cpu?.realtime !== undefined || isProtected !== undefined;
};

/** What a VMI's process may lock, where anything about the VMI needs that: all that it has. */
export function memlockBytes(vmi: VirtualMachineInstance, overheadBytes: bigint): bigint | undefined {
  const isAsked = vmi.spec.domain.memory?.reservedOverhead?.memLock === 'Required';
  return isAsked || pinsMemory(vmi) ? lockedBytes(vmi, overheadBytes) : undefined;
}

/** The guest's memory and what running it costs. */
export const lockedBytes = ({ spec }: VirtualMachineInstance, overheadBytes: bigint): bigint =>
  (guestMemoryBytes(spec.domain) ?? 0n) + overheadBytes;

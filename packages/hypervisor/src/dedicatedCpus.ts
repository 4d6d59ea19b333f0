import type { DomainSpec } from '@vireo/api/kinds/kubevirt/domain.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { vcpuCount } from './domainSpec.ts';

/** On a VMI whose emulator gets a second CPU where that makes their number even. */
export const EVEN_PARITY_ANNOTATION = 'alpha.kubevirt.io/EmulatorThreadCompleteToEvenParity';

/** The I/O threads that have CPUs of their own. */
export const supplementalThreads = ({ ioThreadsPolicy, ioThreads }: DomainSpec): number =>
  ioThreadsPolicy === 'supplementalPool' ? (ioThreads?.supplementalPoolThreadCount ?? 0) : 0;

/** The CPUs that are the emulator's alone. */
export function emulatorCpus({
  metadata,
  spec: { domain },
}: Pick<VirtualMachineInstance, 'metadata' | 'spec'>): number {
  if (!domain.cpu?.isolateEmulatorThread) return 0;
  const others = vcpuCount(domain) + supplementalThreads(domain);
  return metadata?.annotations?.[EVEN_PARITY_ANNOTATION] !== undefined && others % 2 === 0 ? 2 : 1;
}

/** How many CPUs of its host a VMI has to itself; 0 where it shares them. */
export function dedicatedCpuCount(vmi: Pick<VirtualMachineInstance, 'metadata' | 'spec'>): number {
  const { domain } = vmi.spec;
  if (!domain.cpu?.dedicatedCpuPlacement) return 0;
  return vcpuCount(domain) + supplementalThreads(domain) + emulatorCpus(vmi);
}

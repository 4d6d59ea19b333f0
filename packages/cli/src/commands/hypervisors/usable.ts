import type { Hypervisor } from '@vireo/hypervisor';

/** Whether a hypervisor can run VMs here, and why not. */
export interface Usable {
  readonly usable: boolean;
  readonly reason?: string;
}

/** What is asked of the host. */
export interface HostProbes {
  readonly kvm: () => Promise<{ readonly isUsable: boolean; readonly reason: string }>;
  /** Path of QEMU's binary. */
  readonly emulator: () => Promise<string | undefined>;
  /** Why a device cannot be used; nothing where it can. */
  readonly deviceProblem: (path: string) => Promise<string | undefined>;
}

/** Asks the host: kvm is really tried, others need their devices, and a stub needs nodes that pretend. */
export async function usableHere({ name, runtime }: Hypervisor, host: HostProbes): Promise<Usable> {
  if (name === 'stub') {
    return { usable: false, reason: 'runs on simulated nodes only: vireo up --simulate-nodes NUMBER' };
  }
  if (name === 'kvm') {
    const { isUsable, reason } = await host.kvm();
    return isUsable ? { usable: true } : { usable: false, reason };
  }
  if ((await host.emulator()) === undefined) return { usable: false, reason: 'QEMU is not installed' };
  const needed = (runtime?.deviceRequests ?? []).filter(({ isOptional }) => !isOptional);
  for (const { path } of needed) {
    const problem = await host.deviceProblem(path);
    if (problem) return { usable: false, reason: problem };
  }
  return { usable: true };
}

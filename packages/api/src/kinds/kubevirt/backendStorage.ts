import type { VirtualMachineInstance } from './virtualMachineInstance.ts';

/** Whether a VM has firmware that remembers: UEFI variables or a TPM that are to outlive the VMI. */
export function needsBackendStorage(spec: VirtualMachineInstance['spec'] | undefined): boolean {
  const { firmware, devices } = spec?.domain ?? {};
  const hasTpm = devices?.tpm?.persistent === true && devices.tpm.enabled !== false;
  return hasTpm || firmware?.bootloader?.efi?.persistent === true;
}

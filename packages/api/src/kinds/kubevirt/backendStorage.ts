import type { VirtualMachineInstance } from './virtualMachineInstance.ts';

/** The volume of a launcher pod that holds the backend storage of its VMI. */
export const STATE_VOLUME = 'vm-state';

/** Whether a VM has firmware that remembers: UEFI variables or a TPM that are to outlive the VMI. */
export function needsBackendStorage(spec: VirtualMachineInstance['spec'] | undefined): boolean {
  const { firmware, devices } = spec?.domain ?? {};
  const hasTpm = devices?.tpm?.persistent === true && devices.tpm.enabled !== false;
  return hasTpm || firmware?.bootloader?.efi?.persistent === true;
}

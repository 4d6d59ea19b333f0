import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineVolumeRequest } from '@vireo/api/kinds/kubevirt/virtualMachineStatus.ts';
import type { Refuse } from './volumesSpec.ts';

/**
 * The requests of a machine with one more, as KubeVirt kept them before the spec itself was edited. Who takes out what
 * is still to be plugged in, calls that off.
 */
export function withRequest(
  { status }: VirtualMachine,
  request: VirtualMachineVolumeRequest,
  refuse: Refuse,
): VirtualMachineVolumeRequest[] {
  const before = status?.volumeRequests ?? [];
  const name = request.addVolumeOptions?.name ?? request.removeVolumeOptions?.name ?? '';
  const isAdded = before.some(({ addVolumeOptions }) => addVolumeOptions?.name === name);
  const isRemoved = before.some(({ removeVolumeOptions }) => removeVolumeOptions?.name === name);
  if (request.addVolumeOptions && isAdded) throw refuse(`add volume request for volume [${name}] already exists`);
  if (isRemoved) {
    const what = `a remove volume request for volume [${name}] already exists and is still being processed`;
    throw refuse(request.addVolumeOptions ? `unable to add volume since ${what}` : what);
  }
  return [...before.filter(({ addVolumeOptions }) => addVolumeOptions?.name !== name), request];
}

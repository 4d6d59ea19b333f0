import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isActive, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { VmActions } from './act.ts';

type Volumes = Vmi['spec']['volumes'];
type Volume = NonNullable<Volumes>[number];
type Request = NonNullable<VmStatus['memoryDumpRequest']>;

/**
 * How a memory dump goes: the claim becomes a volume of the VM and of its VMI (Associating), the node writes
 * to it (InProgress), the VMI lets go of it (Unmounting), and the VM keeps it for the next time (Completed)
 * until it is to let go of it too (Dissociating). Each phase says which of the two should have the volume.
 */
const HOLDERS: Readonly<Record<string, { readonly vm: boolean; readonly vmi: boolean }>> = {
  Associating: { vm: true, vmi: true },
  InProgress: { vm: true, vmi: true },
  Unmounting: { vm: true, vmi: false },
  Completed: { vm: true, vmi: false },
  Failed: { vm: true, vmi: false },
  Dissociating: { vm: false, vmi: false },
};

/** The volumes of a VMI as it starts: dumps are made of VMIs that run. */
export const withoutDumps = (volumes: Volumes): Volumes => volumes?.filter(({ memoryDump }) => !memoryDump);

const has = (volumes: Volumes, claim: string): boolean =>
  (volumes ?? []).some(({ memoryDump }) => memoryDump?.claimName === claim);

/** The status that the node reports for the volume. */
const dumpStatus = (vmi: Vmi | undefined, claim: string) =>
  vmi?.status?.volumeStatus?.find(({ name, memoryDumpVolume }) => name === claim && memoryDumpVolume);

/** The volumes that should take the place of those there are; undefined where they are as they should be. */
export function dumpVolumes(volumes: Volumes, claim: string, isWanted: boolean): Volume[] | undefined {
  if (has(volumes, claim) === isWanted) return undefined;
  const others = (volumes ?? []).filter(({ memoryDump }) => memoryDump?.claimName !== claim);
  return isWanted ? [...others, { name: claim, memoryDump: { claimName: claim, hotpluggable: true } }] : others;
}

/** Gives the claim of a memory dump to the VM and its VMI, or takes it from them. */
export async function syncMemoryDump(vm: Vm, vmi: Vmi | undefined, act: VmActions): Promise<{ vm: Vm; vmi?: Vmi }> {
  const { claimName, phase = '' } = vm.status?.memoryDumpRequest ?? {};
  const wanted = HOLDERS[phase];
  if (!claimName || !wanted) return { vm, vmi };
  const ofVm = dumpVolumes(vm.spec.template.spec?.volumes, claimName, wanted.vm);
  const nextVm = ofVm ? await act.patchVm(vm, { spec: { template: { spec: { volumes: ofVm } } } }) : vm;
  // What the node still says is of the last dump: it forgets that first.
  const isStale = phase === 'Associating' && dumpStatus(vmi, claimName) !== undefined;
  // A guest that moves has to arrive first.
  if (!isActive(vmi) || isStale || isHandedOff(vmi)) return { vm: nextVm, vmi };
  const ofVmi = dumpVolumes(vmi.spec.volumes, claimName, wanted.vmi);
  return { vm: nextVm, vmi: ofVmi ? await act.patchVmi(vmi, { spec: { volumes: ofVmi } }) : vmi };
}

/** How far a memory dump is; undefined when there is none any more. */
export function memoryDumpRequest(vm: Vm, vmi: Vmi | undefined): Request | undefined {
  const request = vm.status?.memoryDumpRequest;
  if (!request) return undefined;
  const { claimName } = request;
  const status = dumpStatus(vmi, claimName);
  const isHeld = isActive(vmi) && has(vmi.spec.volumes, claimName);
  switch (request.phase) {
    case 'Associating':
      if (!isActive(vmi)) return withFailure(request, 'the VM stopped before the memory dump started');
      return isHeld && has(vm.spec.template.spec?.volumes, claimName) ? { ...request, phase: 'InProgress' } : request;
    case 'InProgress':
      if (status?.phase === 'MemoryDumpCompleted') return { ...request, ...outcome(status), phase: 'Unmounting' };
      if (status?.phase === 'MemoryDumpFailed')
        return withFailure(
          { ...request, ...outcome(status) },
          status.message || 'the node could not write the memory dump',
        );
      return isActive(vmi) ? request : withFailure(request, 'the VM stopped during the memory dump');
    case 'Unmounting':
      return isHeld || (status && isActive(vmi)) ? request : { ...request, phase: 'Completed' };
    case 'Dissociating':
      return isHeld || has(vm.spec.template.spec?.volumes, claimName) ? request : undefined;
    default:
      return request;
  }
}

const withFailure = (request: Request, message: string): Request => ({ ...request, phase: 'Failed', message });

function outcome({ memoryDumpVolume }: NonNullable<ReturnType<typeof dumpStatus>>): Partial<Request> {
  const { startTimestamp, endTimestamp, targetFileName } = memoryDumpVolume ?? {};
  return {
    ...(startTimestamp && { startTimestamp }),
    ...(endTimestamp && { endTimestamp }),
    ...(targetFileName && { fileName: targetFileName }),
  };
}

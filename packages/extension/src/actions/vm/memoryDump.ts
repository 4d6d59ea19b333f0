import { badRequest, notFound, PersistentVolumeClaim } from '@vireo/api';
import { CDIConfig } from '@vireo/api/kinds/cdi/cdiConfig.ts';
import { DEFAULT_FILESYSTEM_OVERHEAD, filesystemOverheadOf } from '@vireo/api/kinds/cdi/filesystemOverhead.ts';
import { memoryDumpClaimBytes } from '@vireo/api/kinds/kubevirt/memoryDump.ts';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import { MemoryDumpOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineMemoryDumpRequest } from '@vireo/api/kinds/kubevirt/virtualMachineStatus.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { bytesQuantity, toBytes } from '@vireo/api/quantity.ts';
import type { Client } from '@vireo/kube';
import { type Plan, vmAction, type Write } from '../action.ts';
import { MIGRATING, vmConflict } from '../refusals.ts';

const DONE = ['Completed', 'Failed'];

export const memoryDump = vmAction<MemoryDumpOptions>({
  name: 'memorydump',
  method: 'PUT',
  minimumRole: 'edit',
  summary: "Dumps the guest's memory to the claim `claimName`, or to the claim of the last dump by default.",
  body: MemoryDumpOptions,
  decide({ vm, vmi }, { body }): Plan {
    const before = vm.status?.memoryDumpRequest;
    const claimName = body.claimName || before?.claimName;
    if (!claimName) throw badRequest('claimName: name the claim to write the memory to');
    if (before && before.claimName !== claimName)
      throw vmConflict(
        vm,
        `can't request memory dump for pvc [${claimName}] while pvc [${before.claimName}] is still associated as the memory dump pvc`,
      );
    if (before && !DONE.includes(before.phase))
      throw vmConflict(vm, `a memory dump to pvc [${claimName}] is in progress: its phase is ${before.phase}`);
    if (!vmi || !isRunning(vmi)) throw vmConflict(vm, 'VMI is not running');
    if (isHandedOff(vmi)) throw vmConflict(vm, MIGRATING);
    return {
      type: 'lookup',
      async decide({ client }) {
        const claim = await findClaim(client, vm.metadata.namespace, claimName);
        const overhead = await filesystemOverhead(client, claim.spec?.storageClassName);
        const why = claimProblem(claim, vmi, overhead);
        if (why) throw vmConflict(vm, why);
        return { type: 'write', writes: [request({ claimName, phase: 'Associating' })] };
      },
    };
  },
});

export const removeMemoryDump = vmAction<unknown>({
  name: 'removememorydump',
  method: 'PUT',
  minimumRole: 'none',
  summary: 'Dissociates the claim of a memory dump.',
  decide({ vm }): Plan {
    const before = vm.status?.memoryDumpRequest;
    if (!before) throw vmConflict(vm, 'no claim is associated for memory dumps');
    if (before.remove || before.phase === 'Dissociating')
      throw vmConflict(vm, `pvc [${before.claimName}] is already being dissociated`);
    if (!DONE.includes(before.phase))
      throw vmConflict(vm, `a memory dump to pvc [${before.claimName}] is in progress: its phase is ${before.phase}`);
    const { claimName } = before;
    return { type: 'write', writes: [request({ claimName, phase: 'Dissociating', remove: true })] };
  },
});

/** Takes the place of the last request, and of all that was said of it. */
const request = (asked: Pick<VirtualMachineMemoryDumpRequest, 'claimName' | 'phase' | 'remove'>): Write => {
  const nothing = { remove: null, startTimestamp: null, endTimestamp: null, fileName: null, message: null };
  return { to: 'vmStatus', patch: { status: { memoryDumpRequest: { ...nothing, ...asked } } } };
};

async function findClaim(client: Client, namespace: string | undefined, name: string): Promise<PersistentVolumeClaim> {
  const claim = await client.of(PersistentVolumeClaim).find(name, { namespace });
  if (!claim) throw notFound({ group: '', resource: 'persistentvolumeclaims' }, name);
  return claim;
}

async function filesystemOverhead(client: Client, storageClass: string | undefined): Promise<number> {
  const config = await client.of(CDIConfig).find('config');
  return Number(filesystemOverheadOf(config?.status?.filesystemOverhead, storageClass) ?? DEFAULT_FILESYSTEM_OVERHEAD);
}

/** Why a claim cannot take the memory of a VMI; undefined when it can. `overhead`: the share that its filesystem takes. */
export function claimProblem(
  { spec }: Pick<PersistentVolumeClaim, 'spec'>,
  vmi: VirtualMachineInstance,
  overhead: number,
): string | undefined {
  if (spec?.volumeMode === 'Block') return 'pvc should be filesystem pvc';
  if ((spec?.accessModes ?? []).every((mode) => mode === 'ReadOnlyMany')) return "pvc access mode can't be read only";
  const neededBytes = memoryDumpClaimBytes(vmi, overhead);
  const size = spec?.resources?.requests?.storage ?? '0';
  if (toBytes(size) >= neededBytes) return undefined;
  return `pvc size [${size}] should be bigger then [${bytesQuantity(neededBytes)}]`;
}

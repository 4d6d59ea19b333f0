import { badRequest, isOwnedBy, type ObjectMeta } from '@vireo/api';
import { isHandedOff } from '@vireo/api/kinds/kubevirt/migration.ts';
import type { AddVolumeOptions, RemoveVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineVolumeRequest } from '@vireo/api/kinds/kubevirt/virtualMachineStatus.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { ActContext, Targets, Write } from '../action.ts';
import { MIGRATING, vmConflict, vmiConflict } from '../refusals.ts';
import { requireDisc } from './disc.ts';
import { findVolume, hasDrive, type Refuse, type Spec, withoutVolume, withVolume } from './spec.ts';

/** The feature gate that says how VMs are asked: by their spec, or as KubeVirt did before, by requests in their status. */
export type Gate = 'DeclarativeHotplugVolumes' | 'HotplugVolumes';

/** A change of volumes that was found to be possible. */
export interface VolumeChange {
  readonly writes: readonly Write[];
  /** The VMI whose CD-ROM drive has to open its tray for it, and the drive. */
  readonly tray?: { readonly vmi: VirtualMachineInstance; readonly drive: string; readonly force: boolean } | undefined;
  readonly refuse: Refuse;
}

/** Whose volumes are to change. */
interface VolumeOwner {
  readonly vm?: VirtualMachine;
  /** What the VM runs as, if it does. */
  readonly vmi: VirtualMachineInstance | undefined;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly refuse: Refuse;
}

/** A VM, which need not run. */
export const ofVm = ({ vm, vmi }: Targets['virtualmachines']): VolumeOwner => ({
  vm,
  vmi: vmi && isOwnedBy(vmi, vm) ? vmi : undefined,
  metadata: vm.metadata,
  spec: vm.spec.template.spec ?? { domain: { devices: {} } },
  refuse: (why) => vmConflict(vm, why),
});

/** A VMI of a VM follows its VM: changed by itself, it would be changed back. */
export function ofVmi({ vmi }: Targets['virtualmachineinstances']): VolumeOwner {
  const { name, namespace, ownerReferences = [] } = vmi.metadata;
  if (ownerReferences.some(({ controller, kind }) => controller && kind === 'VirtualMachine'))
    throw badRequest(`VMI ${namespace}/${name} is owned by a VM`);
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
  return { vmi, metadata: vmi.metadata, spec: vmi.spec, refuse: (why) => vmiConflict(vmi, why) };
}

/** What plugging a volume in takes. */
export async function planAdd(
  owner: VolumeOwner,
  options: AddVolumeOptions,
  gate: Gate,
  { client }: Pick<ActContext, 'client'>,
): Promise<VolumeChange> {
  const { spec, refuse, vmi } = owner;
  requireSettled(owner);
  const next = withVolume(spec, options, refuse);
  if (!options.disk) await requireDisc(client, owner, options, refuse);
  const tray = options.replace ? trayOf(vmi, options.name, options.force) : undefined;
  return { writes: [volumesWrite(owner, next, { addVolumeOptions: options }, gate)], tray, refuse };
}

/** What taking a volume out takes. */
export async function planRemove(owner: VolumeOwner, options: RemoveVolumeOptions, gate: Gate): Promise<VolumeChange> {
  const { spec, refuse, vmi } = owner;
  requireSettled(owner);
  const found = findVolume(spec, options.name);
  if (!found && options.force && isLeaving(vmi, options.name))
    return { writes: [], tray: { vmi, drive: options.name, force: true }, refuse };
  const name = found?.name ?? options.name;
  const request = { removeVolumeOptions: { ...options, name } };
  // What was only asked for so far is called off.
  const isAwaited = !found && owner.vm?.status?.volumeRequests?.some((each) => each.addVolumeOptions?.name === name);
  const next = isAwaited && gate === 'HotplugVolumes' ? {} : withoutVolume(spec, options, refuse);
  return { writes: [volumesWrite(owner, next, request, gate)], tray: trayOf(vmi, name, options.force), refuse };
}

/** Whoever asks is told at once; an edit of the VM waits until its guest has arrived. */
function requireSettled({ vmi, refuse }: VolumeOwner): void {
  if (vmi && isHandedOff(vmi)) throw refuse(MIGRATING);
}

/** The spec itself, or with the older gate a request to the controller of VMs. */
function volumesWrite(
  { vm, refuse }: VolumeOwner,
  spec: Partial<Spec>,
  request: VirtualMachineVolumeRequest,
  gate: Gate,
): Write {
  if (!vm) return { to: 'vmi', patch: { spec } };
  if (gate === 'DeclarativeHotplugVolumes') return { to: 'vm', patch: { spec: { template: { spec } } } };
  return { to: 'vmStatus', patch: { status: { volumeRequests: withRequest(vm, request, refuse) } } };
}

/** The tray that a running VM has to open, if the change is about a CD-ROM drive that has a disc in it. */
function trayOf(vmi: VirtualMachineInstance | undefined, drive: string, force = false): VolumeChange['tray'] {
  const isFull = vmi?.spec.volumes?.some(({ name }) => name === drive) ?? false;
  return vmi && isFull && isRunning(vmi) && hasDrive(vmi.spec, drive) ? { vmi, drive, force } : undefined;
}

/** Whether a disc was to go before, and the guest still holds it: it can be forced out. */
const isLeaving = (vmi: VirtualMachineInstance | undefined, drive: string): vmi is VirtualMachineInstance =>
  vmi !== undefined &&
  (vmi.status?.cdromStatus?.some(({ name }) => name === drive) ?? false) &&
  (vmi.status?.volumeStatus?.some(({ name, phase }) => name === drive && phase === 'Detaching') ?? false);

/**
 * The requests of a VM with one more, as KubeVirt kept them before the spec itself was edited. Who takes out what
 * is still to be plugged in, calls that off.
 */
function withRequest(
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

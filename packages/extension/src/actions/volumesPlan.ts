import { badRequest, type ObjectMeta } from '@vireo/api';
import type { AddVolumeOptions, RemoveVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineVolumeRequest } from '@vireo/api/kinds/kubevirt/virtualMachineStatus.ts';
import type { ActContext, Targets, Write } from './action.ts';
import { vmConflict, vmiConflict } from './refusals.ts';
import { isRunning } from './states.ts';
import type { Gate, VolumeChange } from './volumesChange.ts';
import { requireDisc } from './volumesClaim.ts';
import { withRequest } from './volumesRequests.ts';
import { findVolume, hasDrive, type Refuse, type Spec, withoutVolume, withVolume } from './volumesSpec.ts';

/** Whose volumes are to change. */
interface Subject {
  readonly vm?: VirtualMachine;
  /** What the machine runs as, if it does. */
  readonly vmi: VirtualMachineInstance | undefined;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly refuse: Refuse;
}

/** A machine, which need not run. */
export const ofMachine = ({ vm, vmi }: Targets['virtualmachines']): Subject => ({
  vm,
  vmi: vmi?.metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) ? vmi : undefined,
  metadata: vm.metadata,
  spec: vm.spec.template.spec ?? { domain: { devices: {} } },
  refuse: (why) => vmConflict(vm, why),
});

/** An instance of a machine follows its machine: changed by itself, it would be changed back. */
export function ofInstance({ vmi }: Targets['virtualmachineinstances']): Subject {
  const { name, namespace, ownerReferences = [] } = vmi.metadata;
  if (ownerReferences.some(({ controller, kind }) => controller && kind === 'VirtualMachine'))
    throw badRequest(`VMI ${namespace}/${name} is owned by a VM`);
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
  return { vmi, metadata: vmi.metadata, spec: vmi.spec, refuse: (why) => vmiConflict(vmi, why) };
}

/** What plugging a volume in takes. */
export async function added(
  subject: Subject,
  options: AddVolumeOptions,
  gate: Gate,
  { client }: Pick<ActContext, 'client'>,
): Promise<VolumeChange> {
  const { spec, refuse, vmi } = subject;
  const next = withVolume(spec, options, refuse);
  if (!options.disk) await requireDisc(client, subject, options, refuse);
  const tray = options.replace ? trayOf(vmi, options.name, options.force) : undefined;
  return { writes: [written(subject, next, { addVolumeOptions: options }, gate)], tray, refuse };
}

/** What taking a volume out takes. */
export async function removed(subject: Subject, options: RemoveVolumeOptions, gate: Gate): Promise<VolumeChange> {
  const { spec, refuse, vmi } = subject;
  const found = findVolume(spec, options.name);
  if (!found && options.force && isLeaving(vmi, options.name))
    return { writes: [], tray: { vmi, drive: options.name, force: true }, refuse };
  const name = found?.name ?? options.name;
  const request = { removeVolumeOptions: { ...options, name } };
  // What was only asked for so far is called off.
  const isAwaited = !found && subject.vm?.status?.volumeRequests?.some((each) => each.addVolumeOptions?.name === name);
  const next = isAwaited && gate === 'HotplugVolumes' ? {} : withoutVolume(spec, options, refuse);
  return { writes: [written(subject, next, request, gate)], tray: trayOf(vmi, name, options.force), refuse };
}

/** The spec itself, or with the old gate a request to the controller of machines. */
function written(
  { vm, refuse }: Subject,
  spec: Partial<Spec>,
  request: VirtualMachineVolumeRequest,
  gate: Gate,
): Write {
  if (!vm) return { to: 'vmi', patch: { spec } };
  if (gate === 'DeclarativeHotplugVolumes') return { to: 'vm', patch: { spec: { template: { spec } } } };
  return { to: 'vmStatus', patch: { status: { volumeRequests: withRequest(vm, request, refuse) } } };
}

/** The tray that a running machine has to open, if the change is about a CD-ROM drive that has a disc in it. */
function trayOf(vmi: VirtualMachineInstance | undefined, drive: string, force = false): VolumeChange['tray'] {
  const isFull = vmi?.spec.volumes?.some(({ name }) => name === drive) ?? false;
  return vmi && isFull && isRunning(vmi) && hasDrive(vmi.spec, drive) ? { vmi, drive, force } : undefined;
}

/** Whether a disc was to go before, and the guest still holds it: it can be forced out. */
const isLeaving = (vmi: VirtualMachineInstance | undefined, drive: string): vmi is VirtualMachineInstance =>
  vmi !== undefined &&
  (vmi.status?.cdromStatus?.some(({ name }) => name === drive) ?? false) &&
  (vmi.status?.volumeStatus?.some(({ name, phase }) => name === drive && phase === 'Detaching') ?? false);

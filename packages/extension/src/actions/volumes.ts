import { badRequest, type ObjectMeta } from '@vireo/api';
import { AddVolumeOptions, RemoveVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VirtualMachineVolumeRequest } from '@vireo/api/kinds/kubevirt/virtualMachineStatus.ts';
import { type DoWorld, type Targets, vmAction, vmiAction, type Write } from './action.ts';
import { vmConflict, vmiConflict } from './refusals.ts';
import { isRunning } from './states.ts';
import { changeVolumes, type Gate, type VolumeChange } from './volumesChange.ts';
import { DISC_NEEDS, requireDisc } from './volumesClaim.ts';
import { withRequest } from './volumesRequests.ts';
import { findVolume, hasDrive, type Refuse, type Spec, withoutVolume, withVolume } from './volumesSpec.ts';

export { withoutVolume, withVolume } from './volumesSpec.ts';

/** The disk has the name of the volume, and need not say so. */
const disk = AddVolumeOptions.properties?.disk;
const named = disk?.schema.properties?.name;
const AddVolumeBody: typeof AddVolumeOptions =
  disk && named
    ? {
        ...AddVolumeOptions,
        properties: {
          ...AddVolumeOptions.properties,
          disk: {
            ...disk,
            schema: {
              ...disk.schema,
              properties: { ...disk.schema.properties, name: { ...named, required: false } },
            },
          },
        },
      }
    : AddVolumeOptions;

const ADD = {
  name: 'addvolume',
  method: 'PUT',
  granted: 'edit',
  summary: 'Plugs a volume in; without `disk`, puts it into the CD-ROM drive of its name.',
  needs: DISC_NEEDS,
} as const;
const REMOVE = {
  name: 'removevolume',
  method: 'PUT',
  granted: 'edit',
  summary: 'Takes a volume out; with `diskRetentionPolicy: keep`, only the disc out of its CD-ROM drive.',
} as const;

export const addVolume = vmAction<AddVolumeOptions>({
  ...ADD,
  body: AddVolumeBody,
  decide: (target, { body }) => ({
    type: 'do',
    run: (world) =>
      changeVolumes('virtualmachines', target, (now, gate) => added(ofMachine(now), body, gate, world), world),
  }),
});

export const removeVolume = vmAction<RemoveVolumeOptions>({
  ...REMOVE,
  body: RemoveVolumeOptions,
  decide: (target, { body }) => ({
    type: 'do',
    run: (world) => changeVolumes('virtualmachines', target, (now, gate) => removed(ofMachine(now), body, gate), world),
  }),
});

export const addInstanceVolume = vmiAction<AddVolumeOptions>({
  ...ADD,
  body: AddVolumeBody,
  decide: (target, { body }) => ({
    type: 'do',
    run: (world) =>
      changeVolumes('virtualmachineinstances', target, (now, gate) => added(ofInstance(now), body, gate, world), world),
  }),
});

export const removeInstanceVolume = vmiAction<RemoveVolumeOptions>({
  ...REMOVE,
  body: RemoveVolumeOptions,
  decide: (target, { body }) => ({
    type: 'do',
    run: (world) =>
      changeVolumes('virtualmachineinstances', target, (now, gate) => removed(ofInstance(now), body, gate), world),
  }),
});

/** Whose volumes are to change. */
interface Subject {
  readonly vm?: VirtualMachine;
  /** What the machine runs as, if it does. */
  readonly vmi: VirtualMachineInstance | undefined;
  readonly metadata: ObjectMeta;
  readonly spec: Spec;
  readonly refuse: Refuse;
}

const ofMachine = ({ vm, vmi }: Targets['virtualmachines']): Subject => ({
  vm,
  vmi: vmi?.metadata.ownerReferences?.some(({ uid }) => uid === vm.metadata.uid) ? vmi : undefined,
  metadata: vm.metadata,
  spec: vm.spec.template.spec ?? { domain: { devices: {} } },
  refuse: (why) => vmConflict(vm, why),
});

/** An instance of a machine follows its machine: changed by itself, it would be changed back. */
function ofInstance({ vmi }: Targets['virtualmachineinstances']): Subject {
  const { name, namespace, ownerReferences = [] } = vmi.metadata;
  if (ownerReferences.some(({ controller, kind }) => controller && kind === 'VirtualMachine'))
    throw badRequest(`VMI ${namespace}/${name} is owned by a VM`);
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
  return { vmi, metadata: vmi.metadata, spec: vmi.spec, refuse: (why) => vmiConflict(vmi, why) };
}

async function added(
  subject: Subject,
  options: AddVolumeOptions,
  gate: Gate,
  { client }: Pick<DoWorld, 'client'>,
): Promise<VolumeChange> {
  const { spec, refuse, vmi } = subject;
  const next = withVolume(spec, options, refuse);
  if (!options.disk) await requireDisc(client, subject, options, refuse);
  const tray = options.replace ? trayOf(vmi, options.name, options.force) : undefined;
  return { writes: [written(subject, next, { addVolumeOptions: options }, gate)], tray, refuse };
}

async function removed(subject: Subject, options: RemoveVolumeOptions, gate: Gate): Promise<VolumeChange> {
  const { spec, refuse, vmi } = subject;
  const found = findVolume(spec, options.name);
  if (!found && options.force && isLeaving(vmi, options.name))
    return { writes: [], tray: { vmi, drive: options.name, force: true }, refuse };
  const next = withoutVolume(spec, options, refuse);
  const name = found?.name ?? options.name;
  const request = { removeVolumeOptions: { ...options, name } };
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

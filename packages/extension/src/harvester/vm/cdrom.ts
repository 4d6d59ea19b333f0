import {
  alreadyExists,
  conflict,
  field,
  type Infer,
  isConditionTrue,
  isOwnedBy,
  notFound,
  type Persisted,
  PersistentVolumeClaim,
} from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { IMAGE_SHARED, VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { isImported, VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { runStrategyOf } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isActive, isLive } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { list, string, struct } from '@vireo/api/schema.ts';
import type { Client, Draft } from '@vireo/kube';
import type { ActContext, Targets, Write } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { readTarget } from '../../actions/targets.ts';
import { restartWrites } from '../../actions/vm/restart.ts';
import { changeVolumes } from '../../actions/volumes/change.ts';
import { ofVm, planRemove, type VolumeChange } from '../../actions/volumes/plan.ts';
import { findVolume, withVolume } from '../../actions/volumes/spec.ts';
import { decideAndWrite } from '../../actions/writes.ts';
import { harvesterAction } from '../action.ts';
import { invalidField } from '../input.ts';
import { templatesOf, withoutTemplate } from './claims.ts';
import { deleteDiscs, isDiscOf, isOfSameImage, newDisc } from './disc.ts';

type Target = Targets['virtualmachines'];

const InsertCdRomVolumeInput = struct('io.harvesterhci.v1beta1.InsertCdRomVolumeActionInput', 'Disc to insert.', {
  deviceName: required(string, 'Name of the CD-ROM drive.'),
  imageName: required(string, 'Image to create the disc from, as namespace/name.'),
});
interface InsertCdRomVolumeInput extends Infer<typeof InsertCdRomVolumeInput> {}

const EjectCdRomVolumeInput = struct('io.harvesterhci.v1beta1.EjectCdRomVolumeActionInput', 'Disc to eject.', {
  deviceName: required(string, 'Name of the CD-ROM drive.'),
});
interface EjectCdRomVolumeInput extends Infer<typeof EjectCdRomVolumeInput> {}

const EjectCdRomInput = struct('io.harvesterhci.v1beta1.EjectCdRomActionInput', 'CD-ROM drives to remove.', {
  diskNames: required(list(string), 'Names of the CD-ROM drives.'),
});
interface EjectCdRomInput extends Infer<typeof EjectCdRomInput> {}

const IMAGES = { group: VirtualMachineImage.group, resource: VirtualMachineImage.plural };
/** Harvester's actions edit the spec, whatever KubeVirt's gates say. */
const GATE = 'DeclarativeHotplugVolumes';

const drivesOf = ({ spec }: VirtualMachine) =>
  (spec.template.spec?.domain.devices?.disks ?? []).filter(({ cdrom }) => cdrom);
const volumeOf = ({ spec }: VirtualMachine, name: string) =>
  spec.template.spec?.volumes?.find((each) => each.name === name);
const isSata = ({ cdrom }: ReturnType<typeof drivesOf>[number]): boolean => cdrom?.bus === 'sata';

function requireDrive(vm: Vm, name: string): void {
  if (drivesOf(vm).some((drive) => drive.name === name && isSata(drive))) return;
  throw invalidField(field.invalid('deviceName', name, 'can not find the SATA CD-ROM device of that name'));
}

export const insertCdRomVolume = harvesterAction('virtualmachines')<InsertCdRomVolumeInput>({
  name: 'insertCdRomVolume',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Creates a disc from an image and inserts it into an empty CD-ROM drive, immediately if the VM runs.',
  body: InsertCdRomVolumeInput,
  needs: [
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create', 'delete'] },
    { apiGroups: [IMAGES.group], resources: [IMAGES.resource], verbs: ['get'] },
  ],
  isListed: ({ vm }) => {
    const empty = drivesOf(vm).filter(({ name }) => !volumeOf(vm, name));
    return empty.length > 0 && empty.every(isSata);
  },
  async act(target, { body }, context) {
    requireDrive(target.vm, body.deviceName);
    await insert(target, body, context);
    return undefined;
  },
});

/**
 * The VM names the disc before that is there: whoever is interrupted in between leaves a VM whose disc its
 * controller makes, and no claim that nobody knows of.
 */
async function insert(
  target: Target,
  { deviceName, imageName }: InsertCdRomVolumeInput,
  context: ActContext,
): Promise<void> {
  const { client, dryRun } = context;
  const image = await requireImage(imageName, context);
  requireShared(image, target.vm);
  const made = newDisc(target.vm, deviceName, image);
  let disc = made;
  const planInsert = async (now: Target): Promise<VolumeChange> => {
    const { spec, refuse } = ofVm(now);
    const inside = discInside(now.vm, deviceName);
    // The same was asked for before.
    disc = inside && isOfSameImage(inside, made) ? inside : made;
    if (disc === inside) return { writes: [], refuse };
    const options = {
      name: deviceName,
      volumeSource: { persistentVolumeClaim: { claimName: made.metadata.name ?? '' } },
    };
    return { writes: [templateWrite(withVolume(spec, options, refuse), withDisc(now.vm, made))], refuse };
  };
  await changeVolumes('virtualmachines', target, planInsert, context);
  try {
    await createDisc(disc, target.vm, deviceName, context);
  } catch (error) {
    // A disc that was inside before stays: it may well be in use.
    const isOurs = disc.metadata.name === made.metadata.name;
    if (isOurs && !dryRun) await takeOut(await readVm(client, target.vm), deviceName, context, made.metadata.name);
    throw error;
  }
}

/** The disc in a drive, if an action has made it, as the VM lists it. */
function discInside(vm: Vm, drive: string): Draft<PersistentVolumeClaim> | undefined {
  const claimName = volumeOf(vm, drive)?.persistentVolumeClaim?.claimName;
  const found = templatesOf(vm)?.find(({ metadata }) => claimName !== undefined && metadata?.name === claimName);
  if (!found?.metadata || !isDiscOf(found.metadata, vm, drive)) return undefined;
  return { metadata: { ...found.metadata, namespace: vm.metadata.namespace }, spec: found.spec };
}

/** The list of the VM's claims with the disc, which its controller makes where this is interrupted. */
function withDisc(vm: Vm, { metadata, spec }: Draft<PersistentVolumeClaim>): string {
  const { name, labels, annotations } = metadata;
  const listed = templatesOf(vm) ?? [];
  if (vm.metadata.annotations?.[VOLUME_CLAIM_TEMPLATES] && !templatesOf(vm))
    throw vmConflict(vm, `its annotation ${VOLUME_CLAIM_TEMPLATES} is not a JSON list; correct or remove it first`);
  return JSON.stringify([...listed, { metadata: { name, labels, annotations }, spec }]);
}

async function createDisc(
  disc: Draft<PersistentVolumeClaim>,
  vm: Vm,
  drive: string,
  { client, dryRun }: ActContext,
): Promise<void> {
  // The VM's controller may have been faster.
  const { object: claim } = await client.of(PersistentVolumeClaim).createOrGet(disc, { dryRun });
  if (!isDiscOf(claim.metadata, vm, drive))
    throw alreadyExists({ group: '', resource: PersistentVolumeClaim.plural }, claim.metadata.name);
}

const readVm = async (client: Client, { metadata }: Vm): Promise<Target> =>
  (await readTarget(client, 'virtualmachines', metadata.namespace, metadata.name)) as Target;

/** The image, if it can be used and whoever asks may see it. */
async function requireImage(
  imageName: string,
  { client, require }: ActContext,
): Promise<Persisted<VirtualMachineImage>> {
  const [namespace = '', name = '', ...rest] = imageName.split('/');
  if (!namespace || !name || rest.length > 0)
    throw invalidField(field.invalid('imageName', imageName, 'name the image as namespace/name'));
  await require({ ...IMAGES, verb: 'get', namespace, name });
  const image = await client.of(VirtualMachineImage).find(name, { namespace });
  if (!image) throw notFound(IMAGES, name);
  if (!isImported(image)) throw conflict(IMAGES, name, 'it is not imported yet; wait until its progress is 100');
  return image;
}

/** A claim that is made from an image which its namespace keeps to itself would wait for ever. */
function requireShared({ metadata: { name, namespace, labels } }: Persisted<VirtualMachineImage>, vm: Vm): void {
  if (namespace === vm.metadata.namespace || labels?.[IMAGE_SHARED] === 'true') return;
  const why = `it is not shared with other namespaces: its owner can add the label ${IMAGE_SHARED}=true`;
  throw conflict(IMAGES, name, why);
}

export const ejectCdRomVolume = harvesterAction('virtualmachines')<EjectCdRomVolumeInput>({
  name: 'ejectCdRomVolume',
  method: 'PUT',
  minimumRole: 'edit',
  summary:
    'Ejects the disc from a CD-ROM drive and keeps the drive. A disc that insertCdRomVolume created is deleted unless another VM uses it.',
  body: EjectCdRomVolumeInput,
  needs: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create', 'delete'] }],
  isListed: ({ vm }) => {
    const full = drivesOf(vm).filter(({ name }) => volumeOf(vm, name)?.persistentVolumeClaim?.hotpluggable);
    return full.length > 0 && full.every(isSata);
  },
  async act(target, { body: { deviceName } }, context) {
    requireDrive(target.vm, deviceName);
    await takeOut(target, deviceName, context);
    if (!context.dryRun) await deleteDiscs(context.client, target.vm, deviceName);
    return undefined;
  },
});

/** Empties a drive; one that is empty is as it should be. `only`: the claim that it has to hold. */
async function takeOut(target: Target, drive: string, context: ActContext, only?: string): Promise<void> {
  const planEject = async (now: Target): Promise<VolumeChange> => {
    const owner = ofVm(now);
    const claimName = findVolume(owner.spec, drive)?.persistentVolumeClaim?.claimName;
    if (!volumeOf(now.vm, drive) || (only !== undefined && claimName !== only))
      return { writes: [], refuse: owner.refuse };
    const change = await planRemove(owner, { name: drive, diskRetentionPolicy: 'keep' }, GATE);
    const templates = claimName === undefined ? undefined : withoutTemplate(now.vm, claimName);
    return { ...change, writes: change.writes.map((write) => withAnnotation(write, templates)) };
  };
  await changeVolumes('virtualmachines', target, planEject, context);
}

export const ejectCdRom = harvesterAction('virtualmachines')<EjectCdRomInput>({
  name: 'ejectCdRom',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Removes CD-ROM drives and their discs, then restarts the VM, as Harvester did up to v1.7.',
  body: EjectCdRomInput,
  isListed: ({ vm }) => isConditionTrue(vm, 'Ready') && drivesOf(vm).length > 0,
  async act(target, { body }, context) {
    const names = new Set(body.diskNames);
    // What is out of the spec and not yet out of the guest takes a restart only: the call may be repeated.
    const known = [...drivesOf(target.vm), ...drivesOfVmi(target)].map(({ name }) => name);
    const unknown = body.diskNames.find((name) => !known.includes(name));
    if (names.size === 0) throw invalidField(field.required('diskNames', 'name a CD-ROM drive'));
    if (unknown !== undefined)
      throw invalidField(field.invalid('diskNames', unknown, 'the VM has no such CD-ROM drive'));
    // A VM that cannot be restarted now is left as it is.
    restartOf(target, target.vmi?.metadata.uid);
    await removeDrives(target, names, context);
    return undefined;
  },
});

const drivesOfVmi = ({ vm, vmi }: Target) =>
  isLive(vmi) && isOwnedBy(vmi, vm) ? (vmi.spec.domain.devices?.disks ?? []).filter(({ cdrom }) => cdrom) : [];

async function removeDrives(target: Target, names: ReadonlySet<string>, context: ActContext): Promise<void> {
  const planRemoval = async (now: Target): Promise<VolumeChange> => {
    const { spec, refuse } = ofVm(now);
    if (!drivesOf(now.vm).some(({ name }) => names.has(name))) return { writes: [], refuse };
    const kept = <T extends { name: string }>(all: readonly T[] = []): T[] =>
      all.filter((each) => !names.has(each.name));
    const next = { volumes: kept(spec.volumes), domain: { devices: { disks: kept(spec.domain.devices?.disks) } } };
    return { writes: [templateWrite(next, undefined)], refuse };
  };
  await changeVolumes('virtualmachines', target, planRemoval, context);
  const ran = target.vmi?.metadata.uid;
  const changed = await readVm(context.client, target.vm);
  await decideAndWrite('virtualmachines', changed, (now) => restartOf(now, ran), context);
}

/** What restarts a VM whose VMI is still the one that `ran`, and does not go anyway. */
function restartOf(target: Target, ran: string | undefined): readonly Write[] {
  const { vm, vmi } = target;
  if (!isActive(vmi) || vmi.metadata.uid !== ran) return [];
  if (runStrategyOf(vm) === 'Halted') return [];
  if (vm.status?.stateChangeRequests?.some(({ action, uid }) => action === 'Stop' && uid === ran)) return [];
  return restartWrites(target);
}

const templateWrite = (spec: object, templates: string | undefined): Write =>
  withAnnotation({ to: 'vm', patch: { spec: { template: { spec } } } }, templates);

const withAnnotation = (write: Write, templates: string | undefined): Write =>
  templates === undefined
    ? write
    : { ...write, patch: { ...write.patch, metadata: { annotations: { [VOLUME_CLAIM_TEMPLATES]: templates } } } };

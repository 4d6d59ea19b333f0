import {
  ApiError,
  conflict,
  type FieldError,
  field,
  type Infer,
  isReason,
  notFound,
  PersistentVolumeClaim,
} from '@vireo/api';
import { required } from '@vireo/api/kinds/customResource.ts';
import { IMAGE_ID, IMAGE_SHARED, VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { isImported, VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import type { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { generateName } from '@vireo/api/names.ts';
import { list, string, struct } from '@vireo/api/schema.ts';
import type { Client, Draft } from '@vireo/kube';
import type { DoWorld, Targets, Write } from '../../actions/action.ts';
import { conditionOf, isLive } from '../../actions/states.ts';
import { readTarget } from '../../actions/targets.ts';
import { restart } from '../../actions/vm/restart.ts';
import { changeVolumes, type VolumeChange } from '../../actions/volumesChange.ts';
import { ofMachine, removed } from '../../actions/volumesPlan.ts';
import { findVolume, withVolume } from '../../actions/volumesSpec.ts';
import { carryOut } from '../../actions/writes.ts';
import { harvesterAction } from '../action.ts';
import { withoutTemplate, withTemplate } from './claims.ts';

type Target = Targets['virtualmachines'];

const InsertCdRomVolumeInput = struct('io.harvesterhci.v1beta1.InsertCdRomVolumeActionInput', 'A disc to insert.', {
  deviceName: required(string, 'Name of the CD-ROM drive.'),
  imageName: required(string, 'The image that the disc is made from, as namespace/name.'),
});
interface InsertCdRomVolumeInput extends Infer<typeof InsertCdRomVolumeInput> {}

const EjectCdRomVolumeInput = struct('io.harvesterhci.v1beta1.EjectCdRomVolumeActionInput', 'A disc to eject.', {
  deviceName: required(string, 'Name of the CD-ROM drive.'),
});
interface EjectCdRomVolumeInput extends Infer<typeof EjectCdRomVolumeInput> {}

const EjectCdRomInput = struct('io.harvesterhci.v1beta1.EjectCdRomActionInput', 'Drives to remove.', {
  diskNames: required(list(string), 'Names of the CD-ROM drives.'),
});
interface EjectCdRomInput extends Infer<typeof EjectCdRomInput> {}

const IMAGES = { group: VirtualMachineImage.group, resource: VirtualMachineImage.plural };
const GIBIBYTE = 1024 ** 3;
/** Harvester's actions edit the spec, whatever KubeVirt's gates say. */
const GATE = 'DeclarativeHotplugVolumes';

const drivesOf = ({ spec }: VirtualMachine) =>
  (spec.template.spec?.domain.devices?.disks ?? []).filter(({ cdrom }) => cdrom);
const volumeOf = ({ spec }: VirtualMachine, name: string) =>
  spec.template.spec?.volumes?.find((each) => each.name === name);
const isSata = ({ cdrom }: ReturnType<typeof drivesOf>[number]): boolean => cdrom?.bus === 'sata';

function wrong(error: FieldError): ApiError {
  const { field: path, text, type } = error;
  return new ApiError('Invalid', `${path}: ${text}`, { causes: [{ reason: type, message: text, field: path }] });
}

function requireDrive(vm: VirtualMachine, name: string): void {
  if (drivesOf(vm).some((drive) => drive.name === name && isSata(drive))) return;
  throw wrong(field.invalid('deviceName', name, 'can not find the SATA CD-ROM device of that name'));
}

export const insertCdRomVolume = harvesterAction('virtualmachines')<InsertCdRomVolumeInput>({
  name: 'insertCdRomVolume',
  method: 'PUT',
  granted: 'edit',
  summary: 'Puts a disc that is made from an image into an empty CD-ROM drive, at once where the machine runs.',
  body: InsertCdRomVolumeInput,
  needs: [
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create', 'delete'] },
    { apiGroups: [IMAGES.group], resources: [IMAGES.resource], verbs: ['get'] },
  ],
  offered: ({ vm }) => {
    const empty = drivesOf(vm).filter(({ name }) => !volumeOf(vm, name));
    return empty.length > 0 && empty.every(isSata);
  },
  decide(target, { body }) {
    requireDrive(target.vm, body.deviceName);
    return { type: 'do', run: (world) => insert(target, body, world).then(() => undefined) };
  },
});

async function insert(
  target: Target,
  { deviceName, imageName }: InsertCdRomVolumeInput,
  world: DoWorld,
): Promise<void> {
  const { client, dryRun } = world;
  const image = await requireImage(imageName, world);
  requireShared(image, target.vm);
  const draft = claimFor(target.vm, deviceName, image);
  const inserted = ({ vm }: Target, claim: PersistentVolumeClaim): VolumeChange => {
    const { spec, refuse } = ofMachine({ vm });
    const claimName = claim.metadata.name ?? '';
    const options = { name: deviceName, volumeSource: { persistentVolumeClaim: { claimName } } };
    return { writes: [written(withVolume(spec, options, refuse), withTemplate(vm, claim))], refuse };
  };
  // A drive that is full is found so before a claim is made in vain.
  inserted(target, { apiVersion: 'v1', kind: 'PersistentVolumeClaim', ...draft });
  const claim = await client.of(PersistentVolumeClaim).create(draft, { dryRun });
  try {
    await changeVolumes('virtualmachines', target, async (now) => inserted(now, claim), world);
  } catch (error) {
    if (!dryRun) await deleteClaim(client, claim);
    throw error;
  }
}

/** The image, if it can be used and whoever asks may see it. */
async function requireImage(imageName: string, { client, require }: DoWorld): Promise<VirtualMachineImage> {
  const [namespace = '', name = '', ...rest] = imageName.split('/');
  if (!namespace || !name || rest.length > 0)
    throw wrong(field.invalid('imageName', imageName, 'an image is named as namespace/name'));
  await require({ ...IMAGES, verb: 'get', namespace, name });
  const image = await client
    .of(VirtualMachineImage)
    .get(name, { namespace })
    .catch((error: unknown) => {
      throw isReason(error, 'NotFound') ? notFound(IMAGES, name) : error;
    });
  if (!isImported(image)) throw conflict(IMAGES, name, 'it is not imported yet; wait until its progress is 100');
  return image;
}

/** A claim that is made from an image which its namespace keeps to itself would wait for ever. */
function requireShared({ metadata: { name = '', namespace, labels } }: VirtualMachineImage, vm: VirtualMachine): void {
  if (namespace === vm.metadata.namespace || labels?.[IMAGE_SHARED] === 'true') return;
  const why = `it is not shared with other namespaces: its owner can give it the label ${IMAGE_SHARED}=true`;
  throw conflict(IMAGES, name, why);
}

/** A disc of the machine's own. It may take a whole gibibyte more than the image, as in Harvester. */
function claimFor(
  { metadata }: VirtualMachine,
  drive: string,
  { metadata: image, status }: VirtualMachineImage,
): Draft<PersistentVolumeClaim> {
  const bytes = Math.max(status?.virtualSize ?? 0, status?.size ?? 0, 1);
  return {
    metadata: {
      name: generateName(`${metadata.name}-${drive}-`),
      namespace: metadata.namespace,
      annotations: { [IMAGE_ID]: `${image.namespace}/${image.name}` },
    },
    spec: {
      accessModes: ['ReadWriteOnce'],
      volumeMode: 'Block',
      resources: { requests: { storage: `${Math.ceil(bytes / GIBIBYTE)}Gi` } },
      ...(status?.storageClassName && { storageClassName: status.storageClassName }),
    },
  };
}

export const ejectCdRomVolume = harvesterAction('virtualmachines')<EjectCdRomVolumeInput>({
  name: 'ejectCdRomVolume',
  method: 'PUT',
  granted: 'edit',
  summary: 'Takes the disc out of a CD-ROM drive, which stays; a disc that was made from an image is deleted.',
  body: EjectCdRomVolumeInput,
  needs: [{ apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get', 'create', 'delete'] }],
  offered: ({ vm }) => {
    const full = drivesOf(vm).filter(({ name }) => volumeOf(vm, name)?.persistentVolumeClaim?.hotpluggable);
    return full.length > 0 && full.every(isSata);
  },
  decide(target, { body }) {
    requireDrive(target.vm, body.deviceName);
    return { type: 'do', run: (world) => eject(target, body, world).then(() => undefined) };
  },
});

async function eject(target: Target, { deviceName }: EjectCdRomVolumeInput, world: DoWorld): Promise<void> {
  const { client, dryRun } = world;
  const { namespace } = target.vm.metadata;
  let claimName: string | undefined;
  await changeVolumes(
    'virtualmachines',
    target,
    async (now) => {
      const subject = ofMachine(now);
      claimName = findVolume(subject.spec, deviceName)?.persistentVolumeClaim?.claimName;
      // An empty drive is as it should be.
      if (!volumeOf(now.vm, deviceName)) return { writes: [], refuse: subject.refuse };
      const change = await removed(subject, { name: deviceName, diskRetentionPolicy: 'keep' }, GATE);
      const templates = claimName === undefined ? undefined : withoutTemplate(now.vm, claimName);
      return { ...change, writes: change.writes.map((write) => withAnnotation(write, templates)) };
    },
    world,
  );
  if (dryRun || claimName === undefined) return;
  const claim = await findClaim(client, namespace, claimName);
  // A claim that somebody made and inserted himself is his.
  if (claim?.metadata.annotations?.[IMAGE_ID] !== undefined) await deleteClaim(client, claim);
}

export const ejectCdRom = harvesterAction('virtualmachines')<EjectCdRomInput>({
  name: 'ejectCdRom',
  method: 'PUT',
  granted: 'edit',
  summary: 'Removes CD-ROM drives with their discs and restarts the machine, as Harvester did up to v1.7.',
  body: EjectCdRomInput,
  offered: ({ vm }) => conditionOf(vm, 'Ready') !== undefined && drivesOf(vm).length > 0,
  decide(target, { body }) {
    const names = new Set(body.diskNames);
    const unknown = body.diskNames.find((name) => !drivesOf(target.vm).some((drive) => drive.name === name));
    if (names.size === 0) throw wrong(field.required('diskNames', 'name a CD-ROM drive'));
    if (unknown !== undefined) throw wrong(field.invalid('diskNames', unknown, 'the machine has no such CD-ROM drive'));
    return { type: 'do', run: (world) => removeDrives(target, names, world).then(() => undefined) };
  },
});

async function removeDrives(target: Target, names: ReadonlySet<string>, world: DoWorld): Promise<void> {
  const { client, dryRun } = world;
  const { namespace, name = '' } = target.vm.metadata;
  const without = async (now: Target): Promise<VolumeChange> => {
    const { spec, refuse } = ofMachine(now);
    const kept = <T extends { name: string }>(all: readonly T[] = []): T[] =>
      all.filter((each) => !names.has(each.name));
    const next = { volumes: kept(spec.volumes), domain: { devices: { disks: kept(spec.domain.devices?.disks) } } };
    return { writes: [written(next, undefined)], refuse };
  };
  await changeVolumes('virtualmachines', target, without, world);
  if (!isLive(target.vmi)) return;
  const changed = (await readTarget(client, 'virtualmachines', namespace, name)) as Target;
  const plan = restart.decide(changed, { body: {}, parameters: {}, query: new URLSearchParams() });
  if (plan.type === 'write') await carryOut(client, changed, plan.writes, dryRun);
}

const written = (spec: object, templates: string | undefined): Write =>
  withAnnotation({ to: 'vm', patch: { spec: { template: { spec } } } }, templates);

const withAnnotation = (write: Write, templates: string | undefined): Write =>
  templates === undefined
    ? write
    : { ...write, patch: { ...write.patch, metadata: { annotations: { [VOLUME_CLAIM_TEMPLATES]: templates } } } };

const findClaim = (client: Client, namespace: string | undefined, name: string) =>
  client
    .of(PersistentVolumeClaim)
    .get(name, { namespace })
    .catch((error: unknown) => {
      if (isReason(error, 'NotFound')) return undefined;
      throw error;
    });

async function deleteClaim(client: Client, { metadata }: PersistentVolumeClaim): Promise<void> {
  const { name = '', namespace, uid = '' } = metadata;
  try {
    await client.of(PersistentVolumeClaim).delete(name, { namespace, preconditions: { uid } });
  } catch (error) {
    // Gone already, or another one has its name.
    if (!isReason(error, 'NotFound', 'Conflict')) throw error;
  }
}

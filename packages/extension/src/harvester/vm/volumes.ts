import { conflict, type Infer, notFound, type Persisted, PersistentVolumeClaim, StorageClass } from '@vireo/api';
import { optional, required } from '@vireo/api/kinds/customResource.ts';
import { VOLUME_CLAIM_TEMPLATES } from '@vireo/api/kinds/harvester/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isLive } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { boolean, string, struct } from '@vireo/api/schema.ts';
import type { PlanContext, SettledPlan, Targets } from '../../actions/action.ts';
import { vmConflict } from '../../actions/refusals.ts';
import { withoutVolume, withVolume } from '../../actions/volumes/spec.ts';
import { harvesterAction } from '../action.ts';
import { pvcVolumes, withoutTemplate, withTemplate } from './claims.ts';

type Template = NonNullable<VirtualMachine['spec']['template']['spec']>;

const AddVolumeInput = struct('io.harvesterhci.v1beta1.AddVolumeInput', 'Claim to attach.', {
  diskName: required(string, 'Name of the disk and of the volume.'),
  volumeSourceName: required(string, 'Claim in the namespace of the VM.'),
  shareable: optional(boolean, 'Whether other VMs may attach it at the same time.'),
});
interface AddVolumeInput extends Infer<typeof AddVolumeInput> {}

const RemoveVolumeInput = struct('io.harvesterhci.v1beta1.RemoveVolumeInput', 'Disk to detach.', {
  diskName: required(string, 'Name of the disk and of the volume.'),
});
interface RemoveVolumeInput extends Infer<typeof RemoveVolumeInput> {}

const CLAIMS = { group: '', resource: 'persistentvolumeclaims' };

export const addVolume = harvesterAction('virtualmachines')<AddVolumeInput>({
  name: 'addVolume',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Attaches a claim as a SCSI disk, immediately if the VM runs.',
  body: AddVolumeInput,
  needs: [
    { apiGroups: [''], resources: ['persistentvolumeclaims'], verbs: ['get'] },
    { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] },
  ],
  isListed: () => true,
  decide: ({ vm }, { body }) => ({ type: 'lookup', decide: (context) => plugIn(vm, body, context) }),
});

async function plugIn(vm: Vm, input: AddVolumeInput, { client }: PlanContext): Promise<SettledPlan> {
  const { namespace = '', name } = vm.metadata;
  const claim = await client.of(PersistentVolumeClaim).find(input.volumeSourceName, { namespace });
  if (!claim) throw notFound(CLAIMS, input.volumeSourceName);
  const others = await client.of(VirtualMachine).list({ namespace });
  const users = others.items.filter(
    (each) =>
      each.metadata.name !== name && pvcVolumes(each).some(({ claimName }) => claimName === claim.metadata.name),
  );
  const className = claim.spec?.storageClassName;
  const isLate = claim.status?.phase !== 'Bound' && className ? await bindsLate(client, className) : false;
  refuseUnfit(claim, input, users, isLate);
  const spec = withVolume(
    templateOf(vm),
    {
      name: input.diskName,
      disk: { name: input.diskName, disk: { bus: 'scsi' }, ...(input.shareable && { shareable: true }) },
      volumeSource: { persistentVolumeClaim: { claimName: input.volumeSourceName } },
    },
    (why) => vmConflict(vm, why),
  );
  return templatePlan(spec, withTemplate(vm, { metadata: { name: claim.metadata.name }, spec: claim.spec }));
}

/** Why a claim cannot be plugged in. */
function refuseUnfit(
  claim: Persisted<PersistentVolumeClaim>,
  { shareable = false }: AddVolumeInput,
  users: readonly VirtualMachine[],
  isLate: boolean,
): void {
  const refuse = (why: string) => conflict(CLAIMS, claim.metadata.name, why);
  if (!claim.spec?.storageClassName) throw refuse('it has no storage class');
  if (claim.status?.phase !== 'Bound' && !isLate)
    throw refuse(`it is ${claim.status?.phase ?? 'not bound'}; wait until it is Bound`);
  const isMany = claim.spec.accessModes?.includes('ReadWriteMany') ?? false;
  if (shareable && !(isMany && claim.spec.volumeMode === 'Block'))
    throw refuse('a shareable claim needs access mode ReadWriteMany and volume mode Block');
  const [user] = users;
  if (user && !isMany) throw refuse(`the VM "${user.metadata.name}" uses it`);
}

async function bindsLate(client: PlanContext['client'], className: string): Promise<boolean> {
  return (await client.of(StorageClass).find(className))?.volumeBindingMode === 'WaitForFirstConsumer';
}

export const removeVolume = harvesterAction('virtualmachines')<RemoveVolumeInput>({
  name: 'removeVolume',
  method: 'PUT',
  minimumRole: 'edit',
  summary: 'Detaches a disk, immediately if the VM runs. The claim stays.',
  body: RemoveVolumeInput,
  isListed: () => true,
  decide({ vm, vmi }: Targets['virtualmachines'], { body }) {
    const refuse = (why: string) => vmConflict(vm, why);
    const template = templateOf(vm);
    const spec = isLive(vmi)
      ? withoutVolume(template, { name: body.diskName }, refuse)
      : withoutDisk(template, body.diskName, refuse);
    const claim = pvcVolumes(vm).find(({ name }) => name === body.diskName);
    return templatePlan(spec, claim && withoutTemplate(vm, claim.claimName));
  },
});

/** A VM that is off has no disk that would have to be unplugged: any may go. */
function withoutDisk(template: Template, name: string, refuse: (why: string) => Error): Partial<Template> {
  const disks = template.domain.devices?.disks ?? [];
  const volumes = template.volumes ?? [];
  if (![...disks, ...volumes].some((each) => each.name === name))
    throw refuse(`Unable to remove volume [${name}] because it does not exist`);
  return {
    volumes: volumes.filter((each) => each.name !== name),
    domain: { devices: { disks: disks.filter((each) => each.name !== name) } },
  };
}

const templatePlan = (spec: Partial<Template>, templates: string | undefined): SettledPlan => ({
  type: 'write',
  writes: [
    {
      to: 'vm',
      patch: {
        ...(templates !== undefined && { metadata: { annotations: { [VOLUME_CLAIM_TEMPLATES]: templates } } }),
        spec: { template: { spec } },
      },
    },
  ],
});

const templateOf = ({ spec }: VirtualMachine): Template => spec.template.spec ?? { domain: { devices: {} } };

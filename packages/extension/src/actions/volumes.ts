import { badRequest } from '@vireo/api';
import { AddVolumeOptions, RemoveVolumeOptions } from '@vireo/api/kinds/kubevirt/subresourceOptions.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { type Plan, vmAction, vmiAction, type Write } from './action.ts';
import { vmConflict, vmiConflict } from './refusals.ts';
import { isRunning } from './states.ts';

type Spec = VirtualMachineInstance['spec'];
type Volumes = NonNullable<Spec['volumes']>;
/** Refuses in the words of the object that is asked. */
type Refuse = (why: string) => Error;

const sourceName = (volume: Pick<Volumes[number], 'persistentVolumeClaim' | 'dataVolume'>): string | undefined =>
  volume.persistentVolumeClaim?.claimName ?? volume.dataVolume?.name;

const isHotpluggable = ({ persistentVolumeClaim, dataVolume }: Volumes[number]): boolean =>
  (persistentVolumeClaim ?? dataVolume)?.hotpluggable === true;

/** The spec with a volume more. */
export function withVolume(spec: Spec, options: AddVolumeOptions, refuse: Refuse): Partial<Spec> {
  const { name, disk, volumeSource } = options;
  if (!name) throw badRequest('AddVolumeOptions requires name to be set');
  if (!disk) throw badRequest('AddVolumeOptions requires disk to not be nil');
  if (!volumeSource) throw badRequest('AddVolumeOptions requires VolumeSource to not be nil');
  const volumes = spec.volumes ?? [];
  if (volumes.some((each) => each.name === name))
    throw refuse(`Unable to add volume [${name}] because volume with that name already exists`);
  const source = sourceName(volumeSource);
  if (source !== undefined && volumes.some((each) => sourceName(each) === source))
    throw refuse(`Unable to add volume source [${source}] because it already exists`);
  const { persistentVolumeClaim, dataVolume } = volumeSource;
  const volume = {
    name,
    ...(persistentVolumeClaim && { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } }),
    ...(dataVolume && { dataVolume: { ...dataVolume, hotpluggable: true } }),
  };
  return changed([...volumes, volume], [...(spec.domain.devices?.disks ?? []), { ...disk, name }]);
}

/** The spec without a volume, which may be named by its claim as well. */
export function withoutVolume(spec: Spec, { name }: RemoveVolumeOptions, refuse: Refuse): Partial<Spec> {
  if (!name) throw badRequest('RemoveVolumeOptions requires name to be set');
  const volumes = spec.volumes ?? [];
  const found = volumes.find((each) => each.name === name || sourceName(each) === name);
  if (!found) throw refuse(`Unable to remove volume [${name}] because it does not exist`);
  if (!isHotpluggable(found)) throw refuse(`Unable to remove volume [${name}] because it is not hotpluggable`);
  return changed(
    volumes.filter((each) => each !== found),
    (spec.domain.devices?.disks ?? []).filter((each) => each.name !== found.name),
  );
}

const changed = (
  volumes: Volumes,
  disks: NonNullable<NonNullable<Spec['domain']['devices']>['disks']>,
): Partial<Spec> => ({ volumes, domain: { devices: { disks } } });

const written = (to: Write['to'], spec: Partial<Spec>): Plan => ({
  type: 'write',
  writes: [{ to, patch: { spec: to === 'vm' ? { template: { spec } } : spec } }],
});

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

const ADD = { name: 'addvolume', method: 'PUT', granted: 'edit', summary: 'Plugs a volume in.' } as const;
const REMOVE = { name: 'removevolume', method: 'PUT', granted: 'edit', summary: 'Takes a volume out.' } as const;

export const addVolume = vmAction<AddVolumeOptions>({
  ...ADD,
  body: AddVolumeBody,
  decide: ({ vm }, { body }) =>
    written(
      'vm',
      withVolume(templateOf(vm), body, (why) => vmConflict(vm, why)),
    ),
});

export const removeVolume = vmAction<RemoveVolumeOptions>({
  ...REMOVE,
  body: RemoveVolumeOptions,
  decide: ({ vm }, { body }) =>
    written(
      'vm',
      withoutVolume(templateOf(vm), body, (why) => vmConflict(vm, why)),
    ),
});

const templateOf = ({ spec }: { spec: { template: { spec?: Spec } } }): Spec =>
  spec.template.spec ?? { domain: { devices: {} } };

/** An instance of a machine follows its machine: changed by itself, it would be changed back. */
function expectOwn(vmi: VirtualMachineInstance): void {
  const { name, namespace, ownerReferences = [] } = vmi.metadata;
  if (ownerReferences.some(({ controller, kind }) => controller && kind === 'VirtualMachine'))
    throw badRequest(`VMI ${namespace}/${name} is owned by a VM`);
  if (!isRunning(vmi)) throw vmiConflict(vmi, 'VMI is not running');
}

export const addInstanceVolume = vmiAction<AddVolumeOptions>({
  ...ADD,
  body: AddVolumeBody,
  decide({ vmi }, { body }) {
    expectOwn(vmi);
    return written(
      'vmi',
      withVolume(vmi.spec, body, (why) => vmiConflict(vmi, why)),
    );
  },
});

export const removeInstanceVolume = vmiAction<RemoveVolumeOptions>({
  ...REMOVE,
  body: RemoveVolumeOptions,
  decide({ vmi }, { body }) {
    expectOwn(vmi);
    return written(
      'vmi',
      withoutVolume(vmi.spec, body, (why) => vmiConflict(vmi, why)),
    );
  },
});

import { deepEqual } from '@vireo/api/json.ts';
import type { Vm, VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isActive, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf } from '@vireo/api/kinds/kubevirt/volume.ts';
import type { VmActions } from './act.ts';

type Request = NonNullable<VmStatus['volumeRequests']>[number];
type Spec = Vmi['spec'];

/** A spec as a request wants it. */
export function withRequested(spec: Spec, { addVolumeOptions, removeVolumeOptions }: Request): Spec {
  const { domain, volumes = [] } = spec;
  const disks = domain.devices?.disks ?? [];
  const name = addVolumeOptions?.name ?? removeVolumeOptions?.name;
  const others = <T extends { name: string }>(list: readonly T[]): T[] => list.filter((each) => each.name !== name);
  const withDevices = (nextVolumes: typeof volumes, nextDisks: typeof disks): Spec => ({
    ...spec,
    volumes: nextVolumes,
    domain: { ...domain, devices: { ...domain.devices, disks: nextDisks } },
  });
  if (!addVolumeOptions)
    return withDevices(others(volumes), removeVolumeOptions?.diskRetentionPolicy === 'keep' ? disks : others(disks));
  const { disk, volumeSource } = addVolumeOptions;
  const { persistentVolumeClaim, dataVolume } = volumeSource;
  const volume = {
    name: addVolumeOptions.name,
    ...(persistentVolumeClaim && { persistentVolumeClaim: { ...persistentVolumeClaim, hotpluggable: true } }),
    ...(dataVolume && { dataVolume: { ...dataVolume, hotpluggable: true } }),
  };
  const nextDisks = disk ? [...others(disks), { ...disk, name: addVolumeOptions.name }] : disks;
  return withDevices([...others(volumes), volume], nextDisks);
}

/** Whether a spec is as a request wants it. */
function isDone(spec: Spec | undefined, { addVolumeOptions, removeVolumeOptions }: Request): boolean {
  const name = addVolumeOptions?.name ?? removeVolumeOptions?.name;
  const volume = spec?.volumes?.find((each) => each.name === name);
  if (!addVolumeOptions) return volume === undefined;
  const wanted = addVolumeOptions.volumeSource;
  const source = volume && claimNameOf(volume);
  return source !== undefined && source === claimNameOf(wanted);
}

/** Writes what requests want into the VM; its VMI follows as it follows any edit. */
export async function syncVolumeRequests(vm: Vm, act: VmActions): Promise<Vm> {
  const { spec } = vm.spec.template;
  if (!spec || !vm.status?.volumeRequests?.length) return vm;
  const open = vm.status.volumeRequests.filter((request) => !isDone(spec, request));
  const next = open.reduce(withRequested, spec);
  if (deepEqual(next, spec)) return vm;
  const { volumes, domain } = next;
  return act.patchVm(vm, {
    spec: { template: { spec: { volumes, domain: { devices: { disks: domain.devices?.disks } } } } },
  });
}

/** The requests that the VM or its VMI does not follow yet. */
export function remainingRequests(vm: Vm, vmi: Vmi | undefined): Request[] | undefined {
  const left = vm.status?.volumeRequests?.filter(
    (request) => !isDone(vm.spec.template.spec, request) || (isActive(vmi) && !isDone(vmi.spec, request)),
  );
  return left?.length ? left : undefined;
}

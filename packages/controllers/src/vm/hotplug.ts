import { deepEqual } from '@vireo/api/json.ts';
import type { Vm, Vmi } from '../kinds.ts';

type Spec = Vmi['spec'];
type Volume = NonNullable<Spec['volumes']>[number];
type Disk = NonNullable<NonNullable<Spec['domain']['devices']>['disks']>[number];

/** A volume that can come and go while its machine runs. */
export const isHotpluggable = ({ persistentVolumeClaim, dataVolume }: Volume): boolean =>
  (persistentVolumeClaim ?? dataVolume)?.hotpluggable === true;

/** The volumes and disks of an instance as its machine has them now; undefined where it has them already. */
export function pluggedSpec(vm: Vm['spec'], vmi: Vmi): { volumes: Volume[]; disks: Disk[] } | undefined {
  const wanted = (vm.template.spec?.volumes ?? []).filter(isHotpluggable);
  const wantedDisks = vm.template.spec?.domain.devices?.disks ?? [];
  const current = vmi.spec.volumes ?? [];
  const disks = vmi.spec.domain.devices?.disks ?? [];
  const kept = current.filter((each) => !isHotpluggable(each) || wanted.some((other) => deepEqual(other, each)));
  const busy = new Set((vmi.status?.volumeStatus ?? []).map(({ name }) => name));
  // One that is exchanged for another of its name has to be out before that comes in.
  const coming = wanted.filter(({ name }) => !current.some((each) => each.name === name) && !busy.has(name));
  if (kept.length === current.length && coming.length === 0) return undefined;
  const gone = new Set(current.filter((each) => !kept.includes(each)).map(({ name }) => name));
  const added = wantedDisks.filter((each) => coming.some(({ name }) => name === each.name));
  return {
    volumes: [...kept, ...coming],
    disks: [...disks.filter((each) => !gone.has(each.name) || each.cdrom), ...added],
  };
}

/** A spec without what can come and go: what is left needs a restart when it changes. */
export function withoutHotplug<T extends Partial<Spec>>(spec: T): T {
  const names = new Set((spec.volumes ?? []).filter(isHotpluggable).map(({ name }) => name));
  if (names.size === 0) return spec;
  const { domain } = spec;
  const disks = domain?.devices?.disks?.filter(({ name, cdrom }) => cdrom || !names.has(name));
  return {
    ...spec,
    volumes: spec.volumes?.filter(({ name }) => !names.has(name)),
    ...(domain && { domain: { ...domain, devices: { ...domain.devices, disks } } }),
  };
}

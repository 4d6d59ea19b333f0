import { deepEqual } from '@vireo/api/json.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { isHotpluggable } from '@vireo/api/kinds/kubevirt/volume.ts';
import { MIGRATION_STRATEGY } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';

type Spec = Vmi['spec'];
type Volume = NonNullable<Spec['volumes']>[number];
type Disk = NonNullable<NonNullable<Spec['domain']['devices']>['disks']>[number];

/** The volumes and disks of a VMI as its VM has them now; undefined where it has them already. */
export function pluggedSpec(vm: Vm['spec'], vmi: Vmi): { volumes: Volume[]; disks: Disk[] } | undefined {
  const wantedDisks = vm.template.spec?.domain.devices?.disks ?? [];
  const current = vmi.spec.volumes ?? [];
  const disks = vmi.spec.domain.devices?.disks ?? [];
  const drives = drivesOf(disks);
  const wanted = (vm.template.spec?.volumes ?? []).filter(
    // A disc needs a drive on both sides: one that is new or gone comes or goes with the next start.
    (each) => isHotpluggable(each) && drivesOf(wantedDisks).has(each.name) === drives.has(each.name),
  );
  const kept = current.flatMap((each) => {
    if (!isHotpluggable(each)) return [each];
    const same = wanted.find(({ name }) => name === each.name);
    if (deepEqual(same, each)) return [each];
    // Whoever wants data to move along does not want another disk in its place.
    if (same && vm.updateVolumesStrategy === MIGRATION_STRATEGY && !drives.has(each.name)) return [each];
    // A drive exchanges its disc in one go.
    return same && drives.has(each.name) ? [same] : [];
  });
  const busy = new Set((vmi.status?.volumeStatus ?? []).map(({ name }) => name));
  // A disk that is exchanged for another of its name has to be out before that comes in.
  const coming = wanted.filter(
    ({ name }) => !current.some((each) => each.name === name) && (drives.has(name) || !busy.has(name)),
  );
  if (deepEqual(kept, current) && coming.length === 0) return undefined;
  const gone = new Set(current.map(({ name }) => name).filter((name) => !kept.some((each) => each.name === name)));
  const added = wantedDisks.filter(({ name }) => !drives.has(name) && coming.some((each) => each.name === name));
  return {
    volumes: [...kept, ...coming],
    disks: [...disks.filter((each) => !gone.has(each.name) || each.cdrom), ...added],
  };
}

/** The names of the CD-ROM drives among disks. */
export const drivesOf = (disks: readonly Disk[] = []): Set<string> =>
  new Set(disks.filter(({ cdrom }) => cdrom).map(({ name }) => name));

/** A spec without what can come and go: what is left needs a restart when it changes. */
export function withoutHotplug<T extends Partial<Spec>>(spec: T): T {
  const { domain, volumes = [] } = spec;
  const names = new Set(volumes.filter(isHotpluggable).map(({ name }) => name));
  const disks = domain?.devices?.disks?.filter(({ name, cdrom }) => cdrom || !names.has(name));
  return {
    ...spec,
    volumes: volumes.filter(({ name }) => !names.has(name)),
    ...(domain && { domain: { ...domain, devices: { ...domain.devices, disks } } }),
  };
}

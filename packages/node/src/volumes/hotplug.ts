import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Volume } from '@vireo/api/kinds/kubevirt/volume.ts';

type VolumeStatus = NonNullable<NonNullable<VirtualMachineInstance['status']>['volumeStatus']>[number];
type Targets = Readonly<Record<string, string>>;

/** A volume that can come and go while its machine runs. */
export const isHotpluggable = ({ persistentVolumeClaim, dataVolume }: Volume): boolean =>
  (persistentVolumeClaim ?? dataVolume)?.hotpluggable === true;

const claimOf = ({ persistentVolumeClaim, dataVolume }: Volume): string =>
  persistentVolumeClaim?.claimName ?? dataVolume?.name ?? '';

/**
 * What has to be plugged in and taken out so that the guest has what the instance says; `targets`: what it has, and
 * `drives`: its CD-ROM drives, which stay when their discs go.
 */
export function hotplugPlan(
  { spec, status }: VirtualMachineInstance,
  targets: Targets,
  drives: Readonly<Record<string, unknown>> = {},
): { readonly attach: readonly Volume[]; readonly detach: readonly string[] } {
  const { disks = [] } = spec.domain.devices ?? {};
  const volumes = spec.volumes ?? [];
  const pluggable = new Set(disks.filter(({ cdrom }) => !cdrom).map(({ name }) => name));
  const isPlugged = (name: string): boolean => Object.hasOwn(targets, name);
  return {
    attach: volumes.filter((each) => isHotpluggable(each) && pluggable.has(each.name) && !isPlugged(each.name)),
    // Only what was plugged in is taken out: a volume that the machine was started with stays.
    detach: (status?.volumeStatus ?? [])
      .filter(({ name, hotplugVolume }) => hotplugVolume && isPlugged(name) && !Object.hasOwn(drives, name))
      .map(({ name }) => name)
      .filter((name) => !volumes.some((each) => each.name === name)),
  };
}

/** Why a volume is not plugged in yet. */
export type Obstacles = Readonly<Record<string, Pick<VolumeStatus, 'phase' | 'reason' | 'message'>>>;

/** The statuses of volumes with those that come and go: how far each is, until it is gone. */
export function withHotplug(
  { spec }: VirtualMachineInstance,
  statuses: readonly VolumeStatus[],
  targets: Targets,
  obstacles: Obstacles,
): VolumeStatus[] {
  const drives = new Set(spec.domain.devices?.disks?.filter(({ cdrom }) => cdrom).map(({ name }) => name));
  const plugged = (spec.volumes ?? []).filter((each) => isHotpluggable(each) && !drives.has(each.name));
  const claims = new Map(plugged.map((each) => [each.name, claimOf(each)] as const));
  const wanted = new Set(claims.keys());
  const others = statuses.filter(({ name, hotplugVolume }) => !wanted.has(name) && !hotplugVolume);
  const leaving = statuses
    .filter(({ name, hotplugVolume }) => hotplugVolume && !wanted.has(name) && Object.hasOwn(targets, name))
    .map((status) => ({
      ...status,
      phase: 'Detaching',
      reason: 'VolumeUnMountedFromPod',
      message: `Volume ${status.name} is being unplugged`,
    }));
  const coming = [...wanted].map((name): VolumeStatus => {
    const { target: _, ...known } = statuses.find((each) => each.name === name) ?? { name, target: '' };
    const info = { ...known.persistentVolumeClaimInfo, claimName: claims.get(name) };
    const before = { ...known, persistentVolumeClaimInfo: info };
    const hotplugVolume = before.hotplugVolume ?? {};
    const target = Object.hasOwn(targets, name) ? targets[name] : undefined;
    if (target !== undefined)
      return {
        ...before,
        hotplugVolume,
        target,
        phase: 'Ready',
        reason: 'VolumeReady',
        message: `Successfully attach hotplugged volume ${name} to VM`,
      };
    const mounted = {
      phase: 'MountedToPod',
      reason: 'VolumeMountedToPod',
      message: `Volume ${name} is being attached`,
    };
    return { ...before, hotplugVolume, target: '', ...(obstacles[name] ?? mounted) };
  });
  return [...others, ...leaving, ...coming].sort((a, b) => (a.name < b.name ? -1 : 1));
}

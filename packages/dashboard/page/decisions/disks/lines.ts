import type { DiskDevice, VolumeStatus } from '../../data/deviceKinds.ts';
import type { Vm, Vmi, Volume } from '../../data/kinds.ts';
import type { Claim, GuestFilesystem } from '../../data/storageKinds.ts';
import { bytesOf } from '../quantity.ts';
import { type DiskState, diskState } from './states.ts';

/** What is behind a disk. */
export interface DiskSource {
  /** `Claim`, `DataVolume`, `Container image`, … */
  readonly kind: string;
  readonly name: string;
  /** The claim that holds the data, if there is one. */
  readonly claim: string | undefined;
}

/** A disk or a drive of a machine. */
export interface DiskLine {
  readonly name: string;
  readonly kind: 'disk' | 'cdrom' | 'lun' | 'filesystem' | 'volume';
  readonly bus: string | undefined;
  /** Undefined: nothing, which only a drive can have. */
  readonly source: DiskSource | undefined;
  readonly sizeBytes: number | undefined;
  readonly used: { readonly usedBytes: number; readonly totalBytes: number } | undefined;
  readonly storageClass: string | undefined;
  readonly bootOrder: number | undefined;
  readonly isHotpluggable: boolean;
  /** The device in the guest, such as `vda`. */
  readonly device: string | undefined;
  readonly state: DiskState;
  /** Of drives of a running guest. */
  readonly tray: string | undefined;
  /** Whether the VM's spec has it, so that it can be changed there. */
  readonly isInSpec: boolean;
}

type Spec = Vmi['spec'];

/** All disks of a machine: those of its spec, those of what runs, and those that are on their way out. */
export function disksOf(
  vm: Vm | undefined,
  vmi: Vmi | undefined,
  claims: readonly Claim[] = [],
  filesystems: readonly GuestFilesystem[] = [],
): DiskLine[] {
  const wanted = vm ? vm.spec.template?.spec : vmi?.spec;
  const statuses = vmi?.status?.volumeStatus ?? [];
  const names = new Set([...namesIn(wanted), ...namesIn(vmi?.spec), ...statuses.map(({ name }) => name)]);
  return [...names].map((name) => lineOf(name, { vm, vmi, wanted, claims, filesystems }));
}

interface Known {
  readonly vm: Vm | undefined;
  readonly vmi: Vmi | undefined;
  readonly wanted: Spec | undefined;
  readonly claims: readonly Claim[];
  readonly filesystems: readonly GuestFilesystem[];
}

function lineOf(name: string, { vm, vmi, wanted, claims, filesystems }: Known): DiskLine {
  const device = deviceIn(wanted, name) ?? deviceIn(vmi?.spec, name);
  const volume = volumeIn(wanted, name);
  const running = volumeIn(vmi?.spec, name);
  const status = vmi?.status?.volumeStatus?.find((each) => each.name === name);
  const drive = vmi?.status?.cdromStatus?.find((each) => each.name === name);
  const kind = kindOf(device, [wanted, vmi?.spec], name);
  const source = sourceOf(volume ?? running, status);
  const claim = claims.find(({ metadata }) => metadata.name === source?.claim);
  const target = (status?.target || drive?.target) ?? undefined;
  return {
    name,
    kind,
    bus: (device?.disk ?? device?.cdrom ?? device?.lun)?.bus ?? vmiBus(vmi, name),
    source,
    sizeBytes: drive?.size ?? status?.size ?? sizeOfClaim(claim) ?? sizeOfStatus(status),
    used: usedOn(target, filesystems),
    storageClass: claim?.spec?.storageClassName,
    bootOrder: device?.bootOrder,
    isHotpluggable: isHotpluggable(volume ?? running),
    device: target || undefined,
    state: diskState({ isDrive: kind === 'cdrom', vm, vmi, device, volume, running, status, drive }),
    tray: drive?.tray,
    isInSpec: volume !== undefined || deviceIn(wanted, name) !== undefined,
  };
}

const namesIn = (spec: Spec | undefined): string[] => [
  ...(spec?.domain?.devices?.disks ?? []).map(({ name }) => name),
  ...(spec?.volumes ?? []).map(({ name }) => name),
];

const deviceIn = (spec: Spec | undefined, name: string): DiskDevice | undefined =>
  spec?.domain?.devices?.disks?.find((each) => each.name === name);

const volumeIn = (spec: Spec | undefined, name: string): Volume | undefined =>
  spec?.volumes?.find((each) => each.name === name);

function vmiBus(vmi: Vmi | undefined, name: string): string | undefined {
  const device = deviceIn(vmi?.spec, name);
  return (device?.disk ?? device?.cdrom ?? device?.lun)?.bus;
}

function kindOf(device: DiskDevice | undefined, specs: readonly (Spec | undefined)[], name: string): DiskLine['kind'] {
  if (device) return device.cdrom ? 'cdrom' : device.lun ? 'lun' : 'disk';
  const isShared = specs.some((spec) => spec?.domain?.devices?.filesystems?.some((each) => each.name === name));
  return isShared ? 'filesystem' : 'volume';
}

export const isHotpluggable = (volume: Volume | undefined): boolean =>
  (volume?.dataVolume?.hotpluggable ?? volume?.persistentVolumeClaim?.hotpluggable) === true;

export const claimOf = (volume: Volume | undefined): string | undefined =>
  volume?.dataVolume?.name ?? volume?.persistentVolumeClaim?.claimName;

const SOURCE_WORDS: Readonly<Record<string, string>> = {
  cloudInitNoCloud: 'cloud-init',
  cloudInitConfigDrive: 'cloud-init',
  emptyDisk: 'Empty disk, lost when it stops',
  hostDisk: 'File on the node',
  sysprep: 'Sysprep answer file',
  configMap: 'ConfigMap',
  secret: 'Secret',
  serviceAccount: 'ServiceAccount',
  downwardAPI: 'Facts about the machine',
  downwardMetrics: 'Metrics of the host',
  memoryDump: 'Memory dump',
  ephemeral: 'Claim, writes are lost when it stops',
};

function sourceOf(volume: Volume | undefined, status: VolumeStatus | undefined): DiskSource | undefined {
  if (!volume) {
    const claim = status?.persistentVolumeClaimInfo?.claimName;
    return claim === undefined ? undefined : { kind: 'Claim', name: claim, claim };
  }
  const claim = claimOf(volume);
  if (volume.dataVolume) return { kind: 'DataVolume', name: volume.dataVolume.name, claim };
  if (volume.persistentVolumeClaim) return { kind: 'Claim', name: volume.persistentVolumeClaim.claimName, claim };
  if (volume.containerDisk) return { kind: 'Container image', name: volume.containerDisk.image, claim: undefined };
  const key = Object.keys(volume).find((each) => each !== 'name') ?? 'unknown';
  return { kind: SOURCE_WORDS[key] ?? key, name: '', claim: undefined };
}

export const sizeOfClaim = (claim: Claim | undefined): number | undefined =>
  bytesOf(claim?.status?.capacity?.storage) ?? bytesOf(claim?.spec?.resources?.requests?.storage);

const sizeOfStatus = (status: VolumeStatus | undefined): number | undefined =>
  bytesOf(status?.persistentVolumeClaimInfo?.capacity?.storage);

/** What the file systems on a device have in use: the agent names partitions, such as `vda2` of `vda`. */
function usedOn(target: string | undefined, filesystems: readonly GuestFilesystem[]): DiskLine['used'] {
  if (!target) return undefined;
  const on = filesystems.filter(({ diskName = '' }) => new RegExp(`^${target}p?\\d*$`).test(diskName));
  if (on.length === 0) return undefined;
  const sum = (key: 'usedBytes' | 'totalBytes'): number => on.reduce((total, each) => total + (each[key] ?? 0), 0);
  return { usedBytes: sum('usedBytes'), totalBytes: sum('totalBytes') };
}

import { isDeleting, type Persisted, type PersistentVolumeClaim } from '@vireo/api';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isPaused, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { canonicalQuantity, toBytes } from '@vireo/api/quantity.ts';

/** A VM and its VMI, or a VMI that has no VM. */
export type VmOrVmi =
  | { readonly vm: Vm; readonly vmi?: Vmi | undefined }
  | { readonly vm?: undefined; readonly vmi: Vmi };

type VmiSpec = VirtualMachineInstance['spec'];
type Volume = NonNullable<VmiSpec['volumes']>[number];

/** A disk of a VM, and where its data is. */
export interface DiskSummary {
  readonly name: string;
  /** Image, claim or other source, as `debian:13` or `claim web-root`. */
  readonly source: string;
  readonly claim?: string;
  readonly sizeBytes?: number;
  /** Whether its data is lost when the VM stops. */
  readonly isEphemeral: boolean;
}

/** What `vireo list` and `vireo info` say of a VM. */
export interface VmSummary {
  readonly name: string;
  readonly namespace: string;
  readonly kind: 'VirtualMachine' | 'VirtualMachineInstance';
  readonly state: string;
  readonly addresses: readonly string[];
  readonly image?: string;
  readonly cpus?: number;
  readonly memory?: string;
  readonly disks: readonly DiskSummary[];
  readonly node?: string;
  readonly guestOS?: string;
  readonly createdAt: string;
}

export const objectOf = ({ vm, vmi }: VmOrVmi): Vm | Vmi => (vm ?? vmi) as Vm | Vmi;

/** Pairs each VM with its VMI; VMIs without a VM stand by themselves. Ordered by namespace and name. */
export function pairVms(vms: readonly Vm[], vmis: readonly Vmi[]): VmOrVmi[] {
  const key = ({ metadata }: Vm | Vmi): string => `${metadata.namespace}/${metadata.name}`;
  const byKey = new Map(vmis.map((vmi) => [key(vmi), vmi]));
  const owned = new Set(vms.map(key));
  const pairs: VmOrVmi[] = [
    ...vms.map((vm) => ({ vm, vmi: byKey.get(key(vm)) })),
    ...vmis.filter((vmi) => !owned.has(key(vmi))).map((vmi) => ({ vmi })),
  ];
  return pairs.sort((a, b) => (key(objectOf(a)) < key(objectOf(b)) ? -1 : 1));
}

/** `expanded`: the spec with what an instance type sets, where the VM has one and does not run. */
export function summarize(
  pair: VmOrVmi,
  claims: ReadonlyMap<string, Persisted<PersistentVolumeClaim>> = new Map(),
  expanded?: VmiSpec,
): VmSummary {
  const { vm, vmi } = pair;
  const { metadata } = objectOf(pair);
  const spec = vmi?.spec ?? expanded ?? vm?.spec.template?.spec;
  const disks = spec ? diskSummaries(spec, pair, claims) : [];
  const image = disks[0]?.source;
  const cpus = spec && cpuCount(spec, vmi);
  const memory = spec && memoryOf(spec, vmi);
  const { nodeName, guestOSInfo } = vmi?.status ?? {};
  const guestOS = guestOSInfo?.prettyName ?? guestOSInfo?.name;
  return {
    name: metadata.name,
    namespace: metadata.namespace ?? '',
    kind: vm ? 'VirtualMachine' : 'VirtualMachineInstance',
    state: stateOf(pair),
    addresses: addressesOf(vmi),
    ...(image && { image }),
    ...(cpus && { cpus }),
    ...(memory && { memory }),
    disks,
    ...(nodeName && { node: nodeName }),
    ...(guestOS && { guestOS }),
    createdAt: metadata.creationTimestamp,
  };
}

/** What a VM does, in a word. */
export function stateOf({ vm, vmi }: VmOrVmi): string {
  if (vm) return isDeleting(vm) ? 'Terminating' : (vm.status?.printableStatus ?? 'Pending');
  if (isDeleting(vmi)) return 'Terminating';
  return isPaused(vmi) ? 'Paused' : (vmi.status?.phase ?? 'Pending');
}

/** Those that others can use come first; link-local ones are left out. */
export function addressesOf(vmi: Vmi | undefined): string[] {
  const all = (vmi?.status?.interfaces ?? []).flatMap(({ ipAddress, ipAddresses }) => [
    ...(ipAddress ? [ipAddress] : []),
    ...(ipAddresses ?? []),
  ]);
  const usable = [...new Set(all)].filter((address) => !/^fe80:/i.test(address));
  return usable.sort((a, b) => Number(a.includes(':')) - Number(b.includes(':')));
}

function cpuCount(spec: VmiSpec, vmi: Vmi | undefined): number {
  const { cpu, resources } = spec.domain;
  const { sockets, cores, threads } = vmi?.status?.currentCPUTopology ?? cpu ?? {};
  if (sockets || cores || threads) return (sockets || 1) * (cores || 1) * (threads || 1);
  const requested = resources?.limits?.cpu ?? resources?.requests?.cpu;
  return requested === undefined ? 1 : Number(toBytes(requested));
}

function memoryOf({ domain: { memory, resources } }: VmiSpec, vmi: Vmi | undefined): string | undefined {
  const amount =
    vmi?.status?.memory?.guestCurrent ?? memory?.guest ?? resources?.limits?.memory ?? resources?.requests?.memory;
  return amount === undefined ? undefined : canonicalQuantity(amount);
}

/** Volumes that hold no data of the guest's own. */
const isDisk = (volume: Volume): boolean => volumeSource(volume) !== undefined;

/** The disks, in the order in which the guest boots from them. */
function diskSummaries(
  spec: VmiSpec,
  { vm, vmi }: VmOrVmi,
  claims: ReadonlyMap<string, Persisted<PersistentVolumeClaim>>,
): DiskSummary[] {
  const order = new Map(spec.domain.devices.disks?.map(({ name, bootOrder }) => [name, bootOrder ?? 1_000]));
  const isDrive = new Set(spec.domain.devices.disks?.filter(({ cdrom }) => cdrom).map(({ name }) => name));
  const volumes = (spec.volumes ?? []).filter((each) => isDisk(each) && !isDrive.has(each.name));
  return volumes
    .toSorted((a, b) => (order.get(a.name) ?? 1_000) - (order.get(b.name) ?? 1_000))
    .map((volume) => {
      const { source = '', claim, isEphemeral = false } = volumeSource(volume) ?? {};
      const status = vmi?.status?.volumeStatus?.find(({ name }) => name === volume.name);
      const template = vm?.spec.dataVolumeTemplates?.find(({ metadata }) => metadata?.name === claim)?.spec;
      const size =
        (claim && claims.get(claim)?.status?.capacity?.storage) ??
        status?.persistentVolumeClaimInfo?.capacity?.storage ??
        template?.storage?.resources?.requests?.storage ??
        template?.pvc?.resources?.requests?.storage ??
        volume.emptyDisk?.capacity ??
        status?.size;
      return {
        name: volume.name,
        source: (template && templateSource(template)) ?? source,
        ...(claim && { claim }),
        ...(size && { sizeBytes: Number(toBytes(size)) }),
        isEphemeral,
      };
    });
}

interface VolumeSource {
  readonly source: string;
  readonly claim?: string;
  readonly isEphemeral?: boolean;
}

function volumeSource(volume: Volume): VolumeSource | undefined {
  const { containerDisk, dataVolume, persistentVolumeClaim, hostDisk, emptyDisk, ephemeral } = volume;
  const claim = dataVolume?.name ?? persistentVolumeClaim?.claimName;
  if (claim) return { source: `claim ${claim}`, claim };
  if (containerDisk) return { source: containerDisk.image, isEphemeral: true };
  if (hostDisk) return { source: hostDisk.path };
  if (emptyDisk) return { source: 'empty disk', isEphemeral: true };
  const base = ephemeral?.persistentVolumeClaim?.claimName;
  return base ? { source: `claim ${base}`, isEphemeral: true } : undefined;
}

type DataVolumeSpec = NonNullable<NonNullable<Vm['spec']['dataVolumeTemplates']>[number]['spec']>;

/** What a DataVolume is made from, in a word. */
function templateSource({ source, sourceRef }: DataVolumeSpec): string | undefined {
  const { registry, http, pvc, snapshot } = source ?? {};
  if (registry?.url) return registry.url.replace(/^docker:\/\//, '');
  if (http) return http.url;
  if (pvc) return `claim ${pvc.name}`;
  if (snapshot) return `snapshot ${snapshot.name}`;
  return sourceRef ? `${sourceRef.kind.toLowerCase()} ${sourceRef.name}` : undefined;
}

/** Bytes in the units of claims: `512Mi`, `10Gi`, `1.5Gi`. */
export function formatSize(bytes: number): string {
  const units = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi'];
  const power = Math.min(units.length - 1, Math.floor(Math.log2(Math.max(bytes, 1)) / 10));
  const value = bytes / 1024 ** power;
  return `${value < 100 ? Number(value.toFixed(1)) : Math.round(value)}${units[power]}`;
}

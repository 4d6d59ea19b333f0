import { keyOf, type Vm, type Vmi, type Volume } from '../data/kinds.ts';
import type { MovingVmi } from '../data/nodeKinds.ts';
import { type Move, moveOf } from './migration.ts';
import { bytesOf } from './quantity.ts';
import { type State, stateOf, wordOfPhase } from './states.ts';

/** What the list keeps of a VM: thousands of whole objects would fill the browser. */
export interface VmRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  readonly createdAt: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly word: string | undefined;
  /** Whether it has an instance, as it reports itself. */
  readonly isCreated: boolean | undefined;
  readonly isDeleting: boolean;
  readonly needsRestart: boolean;
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  /** Disks that the VM owns, which are deleted with it. */
  readonly ownDisks: readonly string[];
  /** Disks that it only uses. */
  readonly otherDisks: readonly string[];
  readonly fleetingDisks: readonly string[];
}

/** What the list keeps of an instance. */
export interface VmiRow {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  readonly createdAt: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly phase: string | undefined;
  readonly isPaused: boolean;
  readonly isDeleting: boolean;
  readonly addresses: readonly string[];
  readonly node: string | undefined;
  /** Undefined while it stays where it is. */
  readonly move: Move | undefined;
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly guestOs: string | undefined;
  /** The claims and DataVolumes that it uses. */
  readonly otherDisks: readonly string[];
  readonly fleetingDisks: readonly string[];
}

/** A VM with its instance, or an instance that belongs to no VM. */
export interface Machine {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string | undefined;
  readonly createdAt: string | undefined;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: State;
  readonly isDeleting: boolean;
  readonly needsRestart: boolean;
  readonly cpus: number | undefined;
  readonly memoryBytes: number | undefined;
  readonly addresses: readonly string[];
  readonly node: string | undefined;
  /** Undefined while it stays where it is. */
  readonly move: Move | undefined;
  readonly guestOs: string | undefined;
  /** Whether there is a VirtualMachine: an instance alone cannot be started or stopped. */
  readonly isVm: boolean;
  /** Undefined: instances cannot be read, and the VM does not tell. */
  readonly hasInstance: boolean | undefined;
  /** As the VM's templates say. */
  readonly ownDisks: readonly string[];
  /** Other disks with claims. */
  readonly otherDisks: readonly string[];
  /** Volumes without a claim that the guest writes to: container disks, empty disks. They end with the instance. */
  readonly fleetingDisks: readonly string[];
}

const isTrue = (object: Vm | Vmi, type: string): boolean =>
  object.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;

export function vmRow(vm: Vm): VmRow {
  const spec = vm.spec.template?.spec;
  const owned = new Set((vm.spec.dataVolumeTemplates ?? []).flatMap(({ metadata }) => metadata?.name ?? []));
  const disks = (spec?.volumes ?? []).flatMap((volume) => claimOf(volume) ?? []);
  return {
    ...identity(vm),
    word: vm.status?.printableStatus,
    isCreated: vm.status?.created,
    isDeleting: vm.metadata.deletionTimestamp !== undefined,
    needsRestart: isTrue(vm, 'RestartRequired'),
    ...size(vm.spec.instancetype ? undefined : spec),
    ownDisks: [...owned],
    otherDisks: disks.filter((name) => !owned.has(name)),
    fleetingDisks: fleetingOf(spec),
  };
}

export function vmiRow(vmi: MovingVmi): VmiRow {
  const { status } = vmi;
  const topology = status?.currentCPUTopology;
  const configured = size(vmi.spec);
  return {
    ...identity(vmi),
    phase: status?.phase,
    isPaused: isTrue(vmi, 'Paused'),
    isDeleting: vmi.metadata.deletionTimestamp !== undefined,
    addresses: [...new Set((status?.interfaces ?? []).flatMap((each) => each.ipAddresses ?? each.ipAddress ?? []))],
    node: status?.nodeName,
    move: moveOf(vmi),
    cpus: topology ? product(topology) : configured.cpus,
    memoryBytes: bytesOf(status?.memory?.guestCurrent) ?? configured.memoryBytes,
    guestOs: status?.guestOSInfo?.prettyName ?? status?.guestOSInfo?.name,
    otherDisks: (vmi.spec.volumes ?? []).flatMap((volume) => claimOf(volume) ?? []),
    fleetingDisks: fleetingOf(vmi.spec),
  };
}

/** Pairs VMs with their instances, in no particular order. */
export function machinesFrom(vms: Iterable<VmRow>, vmis: Iterable<VmiRow>, areInstancesKnown = true): Machine[] {
  const instances = new Map([...vmis].map((vmi) => [vmi.key, vmi]));
  const machines: Machine[] = [];
  for (const vm of vms) {
    machines.push(machineOf(vm, instances.get(vm.key), areInstancesKnown));
    instances.delete(vm.key);
  }
  for (const vmi of instances.values()) machines.push(instanceAlone(vmi));
  return machines;
}

/** Whether it uses anything: the last sample of a machine says nothing once it has stopped. */
export const isMeasured = ({ hasInstance, state }: Machine): boolean => hasInstance !== false && state.group !== 'off';

/** Whether a VM has an instance; what it says itself counts if instances cannot be read. */
export function hasInstanceOf(
  { isCreated, word }: VmRow,
  vmi: VmiRow | undefined,
  areInstancesKnown: boolean,
): boolean | undefined {
  if (vmi || areInstancesKnown) return vmi !== undefined;
  if (isCreated !== undefined) return isCreated;
  // KubeVirt leaves `created` out where it is false.
  const { group } = stateOf(word);
  if (group === 'off') return false;
  return group === 'running' || group === 'paused' || group === 'stopping' || word === 'Migrating' || undefined;
}

/** One VM with what its instance adds. */
export function machineOf(vm: VmRow, vmi: VmiRow | undefined, areInstancesKnown = true): Machine {
  const { word, isCreated: _, ...row } = vm;
  return {
    ...row,
    state: stateOf(word),
    cpus: vmi?.cpus ?? vm.cpus,
    memoryBytes: vmi?.memoryBytes ?? vm.memoryBytes,
    addresses: vmi?.addresses ?? [],
    node: vmi?.node,
    move: vmi?.move,
    guestOs: vmi?.guestOs,
    isVm: true,
    hasInstance: hasInstanceOf(vm, vmi, areInstancesKnown),
  };
}

/** An instance that belongs to no VM, or whose VM cannot be seen. */
export function instanceAlone({ phase, isPaused, ...row }: VmiRow): Machine {
  return {
    ...row,
    state: stateOf(row.isDeleting ? 'Terminating' : wordOfPhase(phase, isPaused, row.move !== undefined)),
    needsRestart: false,
    isVm: false,
    hasInstance: true,
    ownDisks: [],
  };
}

const identity = (object: Vm | Vmi) => ({
  key: keyOf(object),
  namespace: object.metadata.namespace ?? '',
  name: object.metadata.name,
  uid: object.metadata.uid,
  createdAt: object.metadata.creationTimestamp,
  labels: object.metadata.labels ?? {},
});

const claimOf = (volume: Volume): string | undefined =>
  volume.dataVolume?.name ?? volume.persistentVolumeClaim?.claimName;

/** Of an `ephemeral` volume, only what is written over its claim ends with the instance. */
type FleetingVolume = Volume & { readonly emptyDisk?: object; readonly ephemeral?: object };

/** A disc in a drive is only read. */
function fleetingOf(spec: Vmi['spec'] | undefined): string[] {
  const drives = new Set(spec?.domain?.devices?.disks?.flatMap(({ name, cdrom }) => (cdrom ? name : [])));
  const volumes: readonly FleetingVolume[] = spec?.volumes ?? [];
  return volumes
    .filter(({ containerDisk, emptyDisk, ephemeral }) => containerDisk ?? emptyDisk ?? ephemeral)
    .flatMap(({ name }) => (drives.has(name) ? [] : name));
}

/** As far as the spec says; an instance type says it elsewhere. */
function size(spec: Vmi['spec'] | undefined): Pick<VmiRow, 'cpus' | 'memoryBytes'> {
  const { cpu, memory, resources } = spec?.domain ?? {};
  return {
    cpus: spec ? product(cpu ?? {}) : undefined,
    memoryBytes: bytesOf(memory?.guest) ?? bytesOf(resources?.requests?.memory),
  };
}

const product = ({ cores = 1, sockets = 1, threads = 1 }: { cores?: number; sockets?: number; threads?: number }) =>
  cores * sockets * threads;

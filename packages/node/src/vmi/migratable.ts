import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { VmiCondition, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { claimNameOf, type Volume } from '@vireo/api/kinds/kubevirt/volume.ts';
import { migratedVolumes } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';

type ConditionBody = Omit<VmiCondition, 'type'>;
interface MigrationBlocker {
  readonly reason: string;
  readonly message: string;
}

/** What of its node decides whether a guest can move. */
export interface MigrationSite {
  /** What guests get as pod network. */
  readonly podNetwork: 'routed' | 'user';
  /** Whether a claim of the VMI's namespace is on storage that several nodes have; undefined where that is not known. */
  readonly isSharedClaim: (claim: string) => boolean | undefined;
  /** The name of the node, if it cannot say which CPU model guests have that see the host's. */
  readonly withoutHostModel?: string;
}

/** Whether the guest could move to another node as it is, and whether it could if its disks moved with it. */
export function migrationConditions(
  vmi: VirtualMachineInstance,
  site: MigrationSite,
): Record<'LiveMigratable' | 'StorageLiveMigratable', ConditionBody> {
  const others = [
    interfaceBlocker(vmi, site),
    hostModelBlocker(vmi, site),
    deviceBlocker(vmi),
    launchSecurityBlocker(vmi),
    tscBlocker(vmi),
    hypervBlocker(vmi),
    filesystemBlocker(vmi),
  ].filter((each) => each !== undefined);
  const first = others[0] ?? diskBlocker(vmi, site);
  const withDisks = [...others, reservationBlocker(vmi)].filter((each) => each !== undefined);
  return {
    LiveMigratable: first ? { status: 'False', ...first } : { status: 'True' },
    StorageLiveMigratable:
      withDisks.length === 0
        ? { status: 'True' }
        : {
            status: 'False',
            reason: 'NotMigratable',
            message: withDisks.map(({ reason, message }) => `${reason}: ${message}`).join(', '),
          },
  };
}

/**
 * What to warn of when a guest that is to move off a drained node turns out not to be able to, in KubeVirt's words. Said
 * once for each reason. `fallback`: the strategy of VMIs that name none.
 */
export function evictionWarning(
  { spec, status: before }: VirtualMachineInstance,
  now: VmiStatus,
  fallback: string,
): string | undefined {
  const [was, is] = [before, now].map((each) => each?.conditions?.find(({ type }) => type === 'LiveMigratable'));
  const isNew = is?.status === 'False' && (was?.status !== 'False' || was.message !== is.message);
  return isNew && (spec.evictionStrategy ?? fallback) === 'LiveMigrate'
    ? `EvictionStrategy is set but vmi is not migratable; ${is.message}`
    : undefined;
}

/** Whether a migration has to carry disks along: those that are neither on a claim nor made to be read. */
export const migrationMethod = (vmi: VirtualMachineInstance): string =>
  migratedVolumes(vmi).length > 0 ||
  (vmi.spec.volumes ?? []).some(({ containerDisk, emptyDisk, ephemeral }) => containerDisk ?? emptyDisk ?? ephemeral)
    ? 'BlockMigration'
    : 'LiveMigration';

function diskBlocker({ spec, status }: VirtualMachineInstance, site: MigrationSite): MigrationBlocker | undefined {
  const messages = (spec.volumes ?? []).map((volume) => volumeBlocker(volume, status?.volumeStatus, site));
  // What firmware remembers moves to another claim with the guest.
  const message = messages.find(Boolean);
  return message ? { reason: 'DisksNotLiveMigratable', message } : undefined;
}

type VolumeStatuses = NonNullable<VirtualMachineInstance['status']>['volumeStatus'];

function volumeBlocker(volume: Volume, statuses: VolumeStatuses, site: MigrationSite): string | undefined {
  const claim = claimNameOf(volume) ?? volume.ephemeral?.persistentVolumeClaim?.claimName;
  if (claim !== undefined) return claimBlocker(claim, statuses, site);
  return volume.hostDisk && !volume.hostDisk.shared ? 'cannot migrate VMI with non-shared HostDisk' : undefined;
}

const REQUIREMENT = 'live migration requires that all PVCs must be shared (using ReadWriteMany access mode)';

function claimBlocker(claim: string, statuses: VolumeStatuses, { isSharedClaim }: MigrationSite): string | undefined {
  const status = statuses?.find(({ persistentVolumeClaimInfo: info }) => info?.claimName === claim);
  const modes = status?.persistentVolumeClaimInfo?.accessModes;
  const isShared = isSharedClaim(claim);
  if (isShared === undefined || !modes)
    return `cannot migrate VMI: Unable to determine if PVC ${claim} is shared, ${REQUIREMENT}`;
  return isShared && modes.includes('ReadWriteMany')
    ? undefined
    : `cannot migrate VMI: PVC ${claim} is not shared, ${REQUIREMENT}`;
}

/** An interface that is part of QEMU's process has nothing outside of it that could follow the guest. */
function interfaceBlocker(
  { spec }: VirtualMachineInstance,
  { podNetwork }: MigrationSite,
): MigrationBlocker | undefined {
  if (podNetwork === 'routed') return undefined;
  const pod = spec.networks?.find((network) => network.pod)?.name;
  const iface = spec.domain.devices.interfaces?.find(({ name }) => name === pod);
  return (
    iface && {
      reason: 'InterfaceNotLiveMigratable',
      message: `cannot migrate VMI: interface ${iface.name} is connected to the pod network through QEMU's user networking, whose connections cannot be migrated`,
    }
  );
}

/** A guest that sees the host's processor goes where the same model is known, by the label of the node that it leaves. */
function hostModelBlocker(
  { spec }: VirtualMachineInstance,
  { withoutHostModel: node }: MigrationSite,
): MigrationBlocker | undefined {
  const { model } = spec.domain.cpu ?? {};
  if (node === undefined || (model && model !== 'host-model')) return undefined;
  return { reason: 'CPUModeLiveMigratable', message: `the node "${node}" does not allow migration with host-model` };
}

function deviceBlocker({ spec }: VirtualMachineInstance): MigrationBlocker | undefined {
  const { hostDevices = [], gpus = [] } = spec.domain.devices;
  const reason = 'HostDeviceNotLiveMigratable';
  if (hostDevices.length > 0) return { reason, message: 'VMI specifies non-migratable generic PCI host device' };
  if (gpus.length > 1) return { reason, message: 'VMI specifies too many GPUs' };
  return gpus.length > 0 ? { reason, message: 'VMI specifies non-migratable GPU device' } : undefined;
}

const PROTECTIONS = [
  ['sev', 'SEVNotLiveMigratable', 'VMI uses SEV'],
  ['snp', 'SEVNotLiveMigratable', 'VMI uses SEV'],
  ['tdx', 'TDXNotLiveMigratable', 'VMI uses TDX'],
] as const;

function launchSecurityBlocker({ spec }: VirtualMachineInstance): MigrationBlocker | undefined {
  const protections = Object.keys(spec.domain.launchSecurity ?? {});
  const found = PROTECTIONS.find(([name]) => protections.includes(name));
  return found && { reason: found[1], message: found[2] };
}

/** A guest that goes by the frequency of its processor's counter can only go where that is the same. */
function tscBlocker({ spec, status }: VirtualMachineInstance): MigrationBlocker | undefined {
  if (status?.topologyHints?.tscFrequency !== undefined) return undefined;
  const { cpu, features } = spec.domain;
  const reason = 'NoTSCFrequencyNotLiveMigratable';
  const isOn = (policy: string | undefined): boolean => !policy || ['require', 'force'].includes(policy);
  if (cpu?.features?.some(({ name, policy }) => name === 'invtsc' && isOn(policy)))
    return { reason, message: 'VMI has the invtsc CPU feature, and its TSC frequency is not exposed on the cluster' };
  const { reenlightenment } = features?.hyperv ?? {};
  return reenlightenment && reenlightenment.enabled !== false
    ? {
        reason,
        message:
          'HyperV Reenlightenment VMIs cannot migrate when TSC Frequency is not exposed on the cluster: guest timers might be inconsistent',
      }
    : undefined;
}

const reservationBlocker = ({ spec }: VirtualMachineInstance): MigrationBlocker | undefined =>
  spec.domain.devices.disks?.some(({ lun }) => lun?.reservation)
    ? { reason: 'PersistentReservationNotLiveMigratable', message: 'VMI uses SCSI persistent reservation' }
    : undefined;

const hypervBlocker = ({ spec }: VirtualMachineInstance): MigrationBlocker | undefined =>
  spec.domain.features?.hypervPassthrough && spec.domain.features.hypervPassthrough.enabled !== false
    ? { reason: 'HypervPassthroughNotLiveMigratable', message: 'VMI uses hyperv passthrough' }
    : undefined;

/** QEMU cannot carry what virtiofsd knows of open files to another node. */
const filesystemBlocker = ({ spec }: VirtualMachineInstance): MigrationBlocker | undefined =>
  (spec.domain.devices.filesystems ?? []).length > 0
    ? { reason: 'VirtIOFSNotLiveMigratable', message: 'VMI uses virtiofs' }
    : undefined;

import { timestamp } from '@vireo/api';
import { setConditions } from '@vireo/api/kinds/kubevirt/conditions.ts';
import type { Vmi, VmiStatus } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { VOLUMES_CHANGE } from '@vireo/api/kinds/kubevirt/volumeMigration.ts';
import type { HostTopology } from '@vireo/hypervisor';
import { ConnectionError } from '@vireo/libvirt';
import { ABORTED } from './copyWatch.ts';
import type { MigrationMode } from './monitor.ts';
import { type HandedOver, type MigrationState, writtenOutcome } from './role.ts';

/** The status with what has changed of its migration. */
export const withMigration = ({ status = {} }: Vmi, changed: Partial<MigrationState>): VmiStatus => ({
  ...status,
  migrationState: { ...status.migrationState, ...changed },
});

/** KubeVirt's word for migrations that do not have a network of their own. */
const POD_NETWORK = 'Pod';

/** Words of KubeVirt. */
const PAUSED_BY_MONITOR = {
  type: 'Paused',
  status: 'True',
  reason: 'PausedByMigrationMonitor',
  message: 'VMI was paused by the migration monitor',
};

/** The status of a VMI whose migration goes on in another way: its guest may stand still for it. */
export function modeStatus(vmi: Vmi, mode: MigrationMode, now: Date): VmiStatus {
  const status = withMigration(vmi, { mode });
  if (mode !== 'Paused') return status;
  return { ...status, conditions: setConditions(status.conditions, [PAUSED_BY_MONITOR], now) };
}

/** The status of a VMI that no longer stands still for its migration. */
const withoutPause = (status: VmiStatus): VmiStatus =>
  status.conditions?.some(({ reason }) => reason === PAUSED_BY_MONITOR.reason)
    ? { ...status, conditions: status.conditions.filter(({ reason }) => reason !== PAUSED_BY_MONITOR.reason) }
    : status;

/** The status of a VMI whose guest stays where it is. */
export function failedStatus(vmi: Vmi, migration: HandedOver, reason: string, now: Date): VmiStatus {
  const status = withMigration(vmi, {
    failed: true,
    completed: true,
    endTimestamp: timestamp(now),
    failureReason: reason,
    ...(migration.abortRequested && { abortStatus: 'Succeeded' }),
  });
  return withoutPause(status);
}

/** The status of a VMI whose guest has come to a node. */
export function arrivedStatus(vmi: Vmi, migration: HandedOver, node: string, now: Date): VmiStatus {
  const { evacuationNodeName: _, ...before } = withoutPause(vmi.status ?? {});
  const { migratedVolumes: moved = [], conditions, volumeStatus, ...status } = before;
  const at = timestamp(now);
  const isMoved = (volume: string): boolean => moved.some(({ volumeName }) => volumeName === volume);
  return {
    ...status,
    ...(conditions && { conditions: conditions.filter(({ type }) => moved.length === 0 || type !== VOLUMES_CHANGE) }),
    // What is said of a claim is of the one that the volume was on.
    ...(volumeStatus && {
      volumeStatus: withMovedState(volumeStatus, migration).map(({ persistentVolumeClaimInfo: info, ...each }) =>
        isMoved(each.name) || !info ? each : { ...each, persistentVolumeClaimInfo: info },
      ),
    }),
    nodeName: node,
    migrationState: {
      ...migration,
      targetNodeDomainDetected: true,
      targetNodeDomainReadyTimestamp: at,
      endTimestamp: at,
      completed: true,
      targetState: { ...migration.targetState, domainDetected: true, domainReadyTimestamp: at },
    },
  };
}

/** What firmware remembers has moved to another claim, which is like the one of before. */
const withMovedState = (
  volumes: NonNullable<VmiStatus['volumeStatus']>,
  { sourcePersistentStatePVCName: from, targetPersistentStatePVCName: to }: HandedOver,
): NonNullable<VmiStatus['volumeStatus']> =>
  volumes.map((volume) =>
    to !== undefined && volume.name === from
      ? { ...volume, name: to, persistentVolumeClaimInfo: { ...volume.persistentVolumeClaimInfo, claimName: to } }
      : volume,
  );

/** As KubeVirt writes it. */
const nodeTopology = ({ cells }: HostTopology): string =>
  JSON.stringify({
    numaCells: cells.map(({ id, cores }) => ({
      id,
      cpus: cores.flatMap((core) => core.map((cpu) => ({ id: cpu, siblings: core }))),
    })),
  });

/** Where a node waits for a guest. */
export interface ListeningPlace {
  readonly node: string;
  readonly pod: string;
  readonly address: string;
  readonly port: number;
  /** The CPUs that the guest has to itself there, and those of the node, where it has any. */
  readonly dedicated?: { readonly cpus: readonly number[]; readonly topology: HostTopology } | undefined;
}

/** The status of a VMI whose guest a node waits for. */
export function listeningStatus(vmi: Vmi, migration: HandedOver, place: ListeningPlace): VmiStatus {
  const { node, pod, address, port, dedicated } = place;
  const { name, namespace, uid } = vmi.metadata;
  const ports = { [port]: 0 };
  const topology = dedicated && nodeTopology(dedicated.topology);
  return withMigration(vmi, {
    targetNodeAddress: address,
    targetDirectMigrationNodePorts: ports,
    migrationNetworkType: POD_NETWORK,
    ...(dedicated && { targetCPUSet: [...dedicated.cpus], targetNodeTopology: topology }),
    targetState: {
      ...migration.targetState,
      node,
      pod,
      migrationUID: migration.migrationUid,
      nodeAddress: address,
      directMigrationNodePorts: ports,
      ...(dedicated && { cpuSet: [...dedicated.cpus], nodeTopology: topology }),
      domainName: name,
      domainNamespace: namespace,
      virtualMachineInstanceUID: uid,
    },
  });
}

/** Why something has failed at a node: a daemon that has ended is told as such, with the node's name. */
export function failureAt(node: string, error: unknown): string {
  const text = error instanceof Error ? error.message : String(error);
  return error instanceof ConnectionError ? `libvirtd of node ${node} has ended, or does not answer: ${text}` : text;
}

/** Why a guest stays where it is: that its target was given up, or that somebody wanted it, comes before what followed. */
export const whyFailed = (vmi: Vmi, migration: HandedOver, reason: string): string =>
  writtenOutcome(vmi, migration)?.reason ?? (migration.abortRequested ? ABORTED : reason);

/** What is said of a migration that has failed. */
export const failureText = ({ migrationUid }: HandedOver, reason: string): string =>
  `VirtualMachineInstance migration uid ${migrationUid} failed. reason:${reason}`;

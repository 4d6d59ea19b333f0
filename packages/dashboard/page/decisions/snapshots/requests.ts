import type { Vm, Vmi } from '../../data/kinds.ts';
import type { Machine } from '../machine.ts';

/** The objects that are created to take a snapshot, to restore and to clone, and where. */

interface Creation {
  readonly path: string;
  readonly body: object;
}

const SNAPSHOT_API = 'snapshot.kubevirt.io/v1beta1';
const CLONE_API = 'clone.kubevirt.io/v1beta1';

export const snapshotsPath = (namespace: string): string =>
  `/apis/${SNAPSHOT_API}/namespaces/${encodeURIComponent(namespace)}/virtualmachinesnapshots`;
export const contentsPath = (namespace: string): string =>
  `/apis/${SNAPSHOT_API}/namespaces/${encodeURIComponent(namespace)}/virtualmachinesnapshotcontents`;
export const restoresPath = (namespace: string): string =>
  `/apis/${SNAPSHOT_API}/namespaces/${encodeURIComponent(namespace)}/virtualmachinerestores`;
export const clonesPath = (namespace: string): string =>
  `/apis/${CLONE_API}/namespaces/${encodeURIComponent(namespace)}/virtualmachineclones`;

export const PERMISSIONS = {
  take: { verb: 'create', group: 'snapshot.kubevirt.io', resource: 'virtualmachinesnapshots' },
  restore: { verb: 'create', group: 'snapshot.kubevirt.io', resource: 'virtualmachinerestores' },
  clone: { verb: 'create', group: 'clone.kubevirt.io', resource: 'virtualmachineclones' },
  delete: { verb: 'delete', group: 'snapshot.kubevirt.io', resource: 'virtualmachinesnapshots' },
} as const;

const vmReference = (name: string) => ({ apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name });

export const snapshotFor = ({ namespace, name }: Machine, snapshot: string): Creation => ({
  path: snapshotsPath(namespace),
  body: {
    apiVersion: SNAPSHOT_API,
    kind: 'VirtualMachineSnapshot',
    metadata: { name: snapshot },
    spec: { source: vmReference(name) },
  },
});

/** `stops`: whether the server stops the machine first; otherwise it refuses while the machine runs. */
export const restoreFor = (
  { namespace, name }: Machine,
  snapshot: string,
  { stops, now }: { readonly stops: boolean; readonly now: Date },
): Creation => ({
  path: restoresPath(namespace),
  body: {
    apiVersion: SNAPSHOT_API,
    kind: 'VirtualMachineRestore',
    metadata: { name: timestampedName(`${snapshot}-to-${name}`, now) },
    spec: {
      target: vmReference(name),
      virtualMachineSnapshotName: snapshot,
      targetReadinessPolicy: stops ? 'StopTarget' : 'FailImmediate',
    },
  },
});

/** Without a snapshot, of the machine as it is. */
export const cloneFor = (
  { namespace, name }: Machine,
  snapshot: string | undefined,
  target: string,
  now: Date,
): Creation => ({
  path: clonesPath(namespace),
  body: {
    apiVersion: CLONE_API,
    kind: 'VirtualMachineClone',
    metadata: { name: timestampedName(target, now) },
    spec: {
      source:
        snapshot === undefined
          ? vmReference(name)
          : { apiGroup: 'snapshot.kubevirt.io', kind: 'VirtualMachineSnapshot', name: snapshot },
      target: vmReference(target),
    },
  },
});

/** A name with the moment, as the command line makes them: `web-20260102-030405`. */
export function timestampedName(name: string, now: Date): string {
  const moment = now.toISOString().slice(0, 19).replaceAll(/[-:]/g, '').replace('T', '-');
  // Objects have at most 63 characters here, so that labels can hold them.
  return `${name.slice(0, 63 - moment.length - 1).replace(/-+$/, '')}-${moment}`;
}

/** Why no snapshot can be taken now. */
export function takeObstacle({ isVm, isDeleting }: Machine, vm: Vm | undefined): string | undefined {
  if (!isVm) return 'An instance without a VM has no snapshots.';
  if (isDeleting) return 'The machine is being deleted.';
  if (vm?.status?.snapshotInProgress) return `Snapshot ${vm.status.snapshotInProgress} is being taken.`;
  return vm?.status?.restoreInProgress ? `Restore ${vm.status.restoreInProgress} is under way.` : undefined;
}

/** Which disks a snapshot would have, and what the moment would be like. */
export interface Forecast {
  readonly included: readonly string[];
  readonly excluded: readonly { readonly name: string; readonly reason: string | undefined }[];
  readonly consistency: string;
}

export function forecastOf(vm: Vm | undefined, vmi: Vmi | undefined): Forecast {
  const statuses = vm?.status?.volumeSnapshotStatuses ?? [];
  return {
    included: statuses.filter(({ enabled }) => enabled).map(({ name }) => name),
    excluded: statuses.filter(({ enabled }) => !enabled).map(({ name, reason }) => ({ name, reason })),
    consistency: consistencyOf(vmi),
  };
}

function consistencyOf(vmi: Vmi | undefined): string {
  if (!vmi) return 'The machine is off. It cannot be started until the snapshot is taken.';
  const is = (wanted: string): boolean =>
    vmi.status?.conditions?.some(({ type, status }) => type === wanted && status === 'True') ?? false;
  if (is('Paused')) return 'The machine is paused: what is only in its memory will be missing.';
  return is('AgentConnected')
    ? 'The guest agent freezes the file systems: everything written will be in it.'
    : 'No guest agent answers: the disks will be as after a power failure.';
}

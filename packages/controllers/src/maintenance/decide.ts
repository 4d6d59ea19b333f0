import { isDeleting, type Node } from '@vireo/api';
import {
  isLeftForMaintenance,
  isShutDownForMaintenance,
  type MaintenanceFate,
  maintenanceFate,
  maintenanceStrategyOf,
} from '@vireo/api/kinds/harvester/maintenance.ts';
import {
  DRAIN_FORCED,
  DRAIN_REQUESTED,
  MAINTAIN_NODE,
  MAINTAIN_STATUS,
  RUN_STRATEGY,
} from '@vireo/api/kinds/harvester/names.ts';
import { runStrategyOf, type Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** A VMI that runs on the node or is on its way there, with the VM that it belongs to. */
export interface Guest {
  readonly vmi: Vmi;
  readonly vm?: Vm | undefined;
  /** Whether others than we move it, once it is marked. */
  readonly isMovedByOthers?: boolean;
}

/**
 * Where a VMI runs, and where a migration brings it. Of one that is to start, where its launcher is: preparing its disks
 * may take minutes.
 */
export function nodesOf({ status }: Vmi): string[] {
  const { nodeName, activePods = {}, migrationState = {} } = status ?? {};
  if (!nodeName) return Object.values(activePods);
  const { targetNode, completed, failed } = migrationState;
  return [...new Set([nodeName, ...(targetNode && !completed && !failed ? [targetNode] : [])])];
}

/** What has to happen to a node and its VMs. */
export type MaintenanceDecision =
  | { readonly action: 'none' }
  /** VMs are in the way that could neither move nor be shut down: the request is withdrawn. */
  | { readonly action: 'refuse'; readonly obstacles: readonly Vmi[] }
  | {
      readonly action: 'drain';
      /** VMs to be stopped, and whether they are to be started again. */
      readonly stops: readonly { readonly vm: Vm; readonly vmi: Vmi; readonly isRestarted: boolean }[];
      /** VMIs that belong to no VM: they go. */
      readonly evictions: readonly Vmi[];
      /** VMIs that leave by a migration. */
      readonly moves: readonly Vmi[];
      /** Those that others move, and that are not marked yet. */
      readonly marks: readonly Vmi[];
    }
  /** Nothing runs on the node any more. */
  | { readonly action: 'enter' }
  | { readonly action: 'complete'; readonly starts: readonly Vm[] }
  /** There is no maintenance, or none any more. */
  | { readonly action: 'resume'; readonly starts: readonly Vm[] };

/**
 * Decides about a node; `stopped`: the VMs that its maintenance has stopped and that are to be started again; `others`:
 * the other nodes.
 */
export function decideMaintenance(
  node: Node,
  guests: readonly Guest[],
  stopped: readonly Vm[],
  others: readonly Node[],
): MaintenanceDecision {
  const { annotations = {} } = node.metadata;
  if (annotations[DRAIN_REQUESTED] === 'true') return drain(node, guests, others);
  switch (annotations[MAINTAIN_STATUS]) {
    case undefined:
    case '':
      return stopped.length > 0 ? { action: 'resume', starts: stopped } : { action: 'none' };
    case 'completed':
      return { action: 'none' };
    default:
      // What was placed before the node was closed may come after it was found empty: it leaves as the others did.
      if (guests.length > 0) return drain(node, guests, others);
      return { action: 'complete', starts: stopped.filter((vm) => maintenanceStrategyOf(vm) === AFTER_ENABLE) };
  }
}

const AFTER_ENABLE = 'ShutdownAndRestartAfterEnable';

function drain(node: Node, guests: readonly Guest[], others: readonly Node[]): MaintenanceDecision {
  if (guests.length === 0) return { action: 'enter' };
  const isForced = node.metadata.annotations?.[DRAIN_FORCED] === 'true';
  // What goes already is only waited for, and so is what a migration is bringing: it leaves once it is here.
  const staying = guests.filter(({ vmi }) => !isDeleting(vmi) && !isIncoming(vmi, node));
  // Once VMs leave, one that can move waits until another node takes it.
  const places = isLeftForMaintenance(node) ? undefined : others;
  const fates = Map.groupBy(staying, ({ vmi, vm }) => maintenanceFate(vmi, vm, places));
  const of = (fate: MaintenanceFate): Guest[] => fates.get(fate) ?? [];
  const [moves, stays] = [of('moves'), of('stays')];
  if (stays.length > 0 && !isForced) return { action: 'refuse', obstacles: stays.map(({ vmi }) => vmi) };
  const forced = isForced ? [...of('starts'), ...stays] : [];
  return {
    action: 'drain',
    stops: [...of('shutDown'), ...forced].flatMap(({ vm, vmi }) =>
      vm && runStrategyOf(vm) !== 'Halted' ? [{ vm, vmi, isRestarted: isRestarted(vm) }] : [],
    ),
    evictions: forced.filter(({ vm }) => !vm).map(({ vmi }) => vmi),
    moves: moves.map(({ vmi }) => vmi),
    marks: moves
      .filter(({ vmi, isMovedByOthers }) => isMovedByOthers && !vmi.status?.evacuationNodeName)
      .map(({ vmi }) => vmi),
  };
}

const isIncoming = ({ status }: Vmi, { metadata }: Node): boolean =>
  Boolean(status?.nodeName) && status?.nodeName !== metadata.name;

const isRestarted = (vm: Vm): boolean => isShutDownForMaintenance(vm) && maintenanceStrategyOf(vm) !== 'Shutdown';

type Request = NonNullable<NonNullable<Vm['status']>['stateChangeRequests']>[number];

/** What is written to a VM: a patch of the object, and what is asked of the controller of VMs. */
export interface VmWrites {
  readonly patch?: object;
  readonly request?: Request;
}

/**
 * Stops a VM, and remembers how it ran and, where it is to run again, for which node it was stopped. One that is
 * started by hand keeps its strategy: it is off when nothing runs.
 */
export function stopWrites(vm: Vm, vmi: Vmi, node: string, isRestarted: boolean): VmWrites {
  const { metadata, spec, status } = vm;
  const { runStrategy } = spec;
  const isManual = runStrategy === 'Manual';
  const annotations = {
    ...(runStrategy !== undefined && !isManual && { [RUN_STRATEGY]: runStrategy }),
    ...(isRestarted && { [MAINTAIN_NODE]: node }),
  };
  const off = runStrategy === undefined ? { running: false } : { runStrategy: 'Halted' };
  const isMarked = metadata.annotations?.[MAINTAIN_NODE] === node || !isRestarted;
  const isAsked = status?.stateChangeRequests?.some(({ action, uid }) => action === 'Stop' && uid === vmi.metadata.uid);
  return {
    ...(!(isManual && isMarked) && {
      patch: { metadata: { resourceVersion: metadata.resourceVersion, annotations }, ...(!isManual && { spec: off }) },
    }),
    ...(isManual && !isAsked && { request: { action: 'Stop', uid: vmi.metadata.uid } }),
  };
}

/** Lets a VM run as before. One that somebody has switched on meanwhile only forgets why it was off. */
export function startWrites(vm: Vm): VmWrites {
  const { metadata, spec } = vm;
  const on =
    spec.runStrategy === undefined
      ? { running: true }
      : { runStrategy: metadata.annotations?.[RUN_STRATEGY] ?? 'RerunOnFailure' };
  const annotations = { [MAINTAIN_NODE]: null };
  if (runStrategyOf(vm) !== 'Halted')
    return {
      ...(runStrategyOf(vm) === 'Manual' && { request: { action: 'Start' } }),
      patch: { metadata: { annotations } },
    };
  return { patch: { metadata: { resourceVersion: metadata.resourceVersion, annotations }, spec: on } };
}

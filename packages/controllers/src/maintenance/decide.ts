import { isDeleting, type Node } from '@vireo/api';
import {
  DRAIN_FORCED,
  DRAIN_REQUESTED,
  MAINTAIN_NODE,
  MAINTAIN_STATUS,
  MAINTAIN_STRATEGY,
  RUN_STRATEGY,
  SHUTDOWN_STRATEGIES,
} from '@vireo/api/kinds/harvester/names.ts';
import { runStrategyOf, type Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';

/** A VMI that runs on the node, with the VM that it belongs to. */
export interface Guest {
  readonly vmi: Vmi;
  readonly vm?: Vm | undefined;
}

/** Where a VMI runs; of one that is on its way, where its launcher is: preparing its disks may take minutes. */
export const nodesOf = ({ status }: Vmi): string[] =>
  status?.nodeName ? [status.nodeName] : Object.values(status?.activePods ?? {});

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
    }
  /** Nothing runs on the node any more. */
  | { readonly action: 'enter' }
  | { readonly action: 'complete'; readonly starts: readonly Vm[] }
  /** There is no maintenance, or none any more. */
  | { readonly action: 'resume'; readonly starts: readonly Vm[] };

/** Decides about a node; `stopped`: the VMs that its maintenance has stopped and that are to be started again. */
export function decideMaintenance(node: Node, guests: readonly Guest[], stopped: readonly Vm[]): MaintenanceDecision {
  const { annotations = {} } = node.metadata;
  const isForced = annotations[DRAIN_FORCED] === 'true';
  if (annotations[DRAIN_REQUESTED] === 'true') return drain(guests, isForced);
  switch (annotations[MAINTAIN_STATUS]) {
    case undefined:
    case '':
      return stopped.length > 0 ? { action: 'resume', starts: stopped } : { action: 'none' };
    case 'completed':
      return { action: 'none' };
    default:
      // What was placed before the node was closed may come after it was found empty: it leaves as the others did.
      if (guests.length > 0) return drain(guests, isForced);
      return { action: 'complete', starts: stopped.filter((vm) => strategyOf(vm) === AFTER_ENABLE) };
  }
}

const AFTER_ENABLE = 'ShutdownAndRestartAfterEnable';
const strategyOf = ({ metadata }: Vm): string | undefined => metadata.labels?.[MAINTAIN_STRATEGY];

/** Whether the VM says itself that it may be shut down for maintenance. */
const mayBeShutDown = (vm: Vm | undefined): vm is Vm =>
  vm !== undefined && SHUTDOWN_STRATEGIES.includes(strategyOf(vm) ?? '');

function drain(guests: readonly Guest[], isForced: boolean): MaintenanceDecision {
  if (guests.length === 0) return { action: 'enter' };
  // What goes already is only waited for.
  const staying = guests.filter(({ vmi }) => !isDeleting(vmi));
  const obstacles = staying.filter(({ vm }) => !mayBeShutDown(vm));
  if (obstacles.length > 0 && !isForced) return { action: 'refuse', obstacles: obstacles.map(({ vmi }) => vmi) };
  return {
    action: 'drain',
    stops: staying.flatMap(({ vm, vmi }) =>
      vm && runStrategyOf(vm) !== 'Halted'
        ? [{ vm, vmi, isRestarted: mayBeShutDown(vm) && strategyOf(vm) !== 'Shutdown' }]
        : [],
    ),
    evictions: staying.filter(({ vm }) => !vm).map(({ vmi }) => vmi),
  };
}

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

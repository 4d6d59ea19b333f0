import type { UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';
import type { Adapt } from '@vireo/apiserver/store/backup.ts';

/** What is different about the home that is restored into. */
export interface Move {
  /** The home of the backup, and this one. */
  readonly from: string;
  readonly to: string;
  /** Whether the guests of the backup's VMs may start here without being asked to. */
  readonly startVms: boolean;
}

/** What was changed on the way, for the report. */
export interface Changes {
  haltedVms: number;
  pausedSets: number;
  leftOutVmis: number;
  movedVolumes: number;
}

const VM = 'kubevirt.io/virtualmachines/';
const VMI = 'kubevirt.io/virtualmachineinstances/';
const VMIRS = 'kubevirt.io/virtualmachineinstancereplicasets/';
const VMPOOL = 'pool.kubevirt.io/virtualmachinepools/';
const POD = 'core/pods/';
const VOLUME = 'core/persistentvolumes/';

/** How objects of one home become those of another. No guest runs there, and no disk of the original is touched. */
export function adaptTo(move: Move, changes: Changes): Adapt {
  return (key, value) => {
    // Most objects are none of these: their bytes stay as they are.
    if (![VM, VMI, VMIRS, VMPOOL, POD, VOLUME].some((prefix) => key.startsWith(prefix))) return 'same';
    const object = JSON.parse(Buffer.from(value).toString()) as UnknownObject;
    if (key.startsWith(VMI)) {
      changes.leftOutVmis++;
      return undefined;
    }
    if (key.startsWith(POD)) return isOfVmi(object) ? undefined : 'same';
    if (key.startsWith(VOLUME)) return movedVolume(object, move, changes) ?? 'same';
    if (move.startVms) return 'same';
    const changed = key.startsWith(VM) ? haltedVm(object) : pausedSet(object);
    if (!changed) return 'same';
    if (key.startsWith(VM)) changes.haltedVms++;
    else changes.pausedSets++;
    return changed;
  };
}

const isOfVmi = ({ metadata }: UnknownObject): boolean =>
  metadata.ownerReferences?.some(({ kind }) => kind === 'VirtualMachineInstance') === true;

/** The VM, so that it does not start by itself; undefined if it would not anyway. */
export function haltedVm(vm: UnknownObject): UnknownObject | undefined {
  const { running, runStrategy, ...spec } = specOf(vm);
  if (runStrategy === undefined ? running !== true : runStrategy === 'Halted' || runStrategy === 'Manual')
    return undefined;
  return withSpec(vm, { ...spec, ...(runStrategy === undefined ? { running: false } : { runStrategy: 'Halted' }) });
}

function pausedSet(set: UnknownObject): UnknownObject | undefined {
  const spec = specOf(set);
  return spec.paused === true ? undefined : withSpec(set, { ...spec, paused: true });
}

/** The volume where its data would be in this home; undefined if it is not below the other one. */
function movedVolume(volume: UnknownObject, { from, to }: Move, changes: Changes): UnknownObject | undefined {
  const spec = specOf(volume);
  const source = spec.local ?? spec.hostPath;
  const path = isObject(source) && typeof source.path === 'string' ? source.path : '';
  if (from === to || !path.startsWith(`${from}/`)) return undefined;
  changes.movedVolumes++;
  const moved = { ...(source as object), path: `${to}${path.slice(from.length)}` };
  return withSpec(volume, { ...spec, ...(spec.local ? { local: moved } : { hostPath: moved }) });
}

const specOf = (object: UnknownObject): Record<string, unknown> => (isObject(object.spec) ? object.spec : {});

function withSpec(object: UnknownObject, spec: Record<string, unknown>): UnknownObject {
  const { generation } = object.metadata;
  return {
    ...object,
    metadata: { ...object.metadata, ...(generation !== undefined && { generation: generation + 1 }) },
    spec,
  };
}

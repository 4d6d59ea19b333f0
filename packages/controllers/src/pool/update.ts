import { isConditionTrue, isDeleting } from '@vireo/api';
import { deepEqual } from '@vireo/api/json.ts';
import { runStrategyOf, type Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isRunning, type Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { PoolSpec } from './pool.ts';
import { makeSameVms, revisionOf } from './revision.ts';

/** The spec of the pool that a revision keeps, by the revision's name. */
export type SpecLookup = (revision: string) => PoolSpec | undefined;

/** Whether the VM was made from another template than the pool has now. `current`: the name of the pool's revision. */
export function isOutdatedVm(vm: Vm, pool: PoolSpec, current: string | undefined, specOf: SpecLookup): boolean {
  const revision = revisionOf(vm);
  if (revision === undefined) return true;
  return revision !== current && !makeSameVms(specOf(revision), pool);
}

/**
 * What brings a VMI in line with its VM: nothing; the label of the VM's revision, from which it would be started alike;
 * a restart; or another VM in the place of this one, because its disks would be others.
 */
export type VmiUpdate = 'none' | 'relabel' | 'restart' | 'replace';

export function vmiUpdate(vm: Vm, vmi: Vmi, specOf: SpecLookup): VmiUpdate {
  const [wanted, actual] = [revisionOf(vm), revisionOf(vmi)];
  if (wanted === undefined || wanted === actual) return 'none';
  const spec = specOf(wanted);
  if (!spec) return 'none';
  const started = actual === undefined ? undefined : specOf(actual);
  if (!started) return restartOf(vm);
  const [before, after] = [started.virtualMachineTemplate.spec, spec.virtualMachineTemplate.spec];
  if (!deepEqual(before?.dataVolumeTemplates ?? [], after?.dataVolumeTemplates ?? [])) return 'replace';
  const isSame =
    deepEqual(before?.template, after?.template) &&
    deepEqual([before?.instancetype, before?.preference], [after?.instancetype, after?.preference]) &&
    deepEqual(started.nameGeneration ?? {}, spec.nameGeneration ?? {});
  return isSame ? 'relabel' : restartOf(vm);
}

/** How a VM is restarted: it comes back by itself when its VMI is deleted, or it is asked to stop and start. */
export type Restart = 'delete' | 'request';

export function restartBy(vm: Vm): Restart | undefined {
  switch (runStrategyOf(vm)) {
    case 'Always':
      return 'delete';
    case 'Manual':
    case 'RerunOnFailure':
      return 'request';
    default:
      return undefined;
  }
}

const restartOf = (vm: Vm): VmiUpdate => (restartBy(vm) ? 'restart' : 'none');

const isReady = (vmi: Vmi): boolean => isRunning(vmi) && !isDeleting(vmi) && isConditionTrue(vmi, 'Ready');

/** Whether the VM is not available though it should be. One that somebody has stopped is not missed. */
export function isDown(vm: Vm, vmi: Vmi | undefined): boolean {
  if (isDeleting(vm)) return true;
  if (vmi) return !isReady(vmi);
  const { printableStatus = 'Stopped', stateChangeRequests = [] } = vm.status ?? {};
  return runStrategyOf(vm) === 'Always' || stateChangeRequests.length > 0 || printableStatus !== 'Stopped';
}

/** A VM and its VMI. */
export interface Member {
  readonly vm: Vm;
  readonly vmi: Vmi | undefined;
}

/** What to do for VMIs now. `isPending`: there is more to do when VMs are available again. */
export interface UpdatePlan {
  readonly relabel: readonly Running[];
  readonly restart: readonly Running[];
  readonly replace: readonly Running[];
  readonly isPending: boolean;
}

export interface Running {
  readonly vm: Vm;
  readonly vmi: Vmi;
}

/**
 * The VMIs to bring in line with their VMs, in the order of `members`, of which at most `budget` may be taken down. Those
 * that are down already come first, and cost nothing: an update that failed is repaired by the next one.
 */
export function planUpdate(members: readonly Member[], budget: number, specOf: SpecLookup): UpdatePlan {
  const plan = { relabel: [] as Running[], restart: [] as Running[], replace: [] as Running[] };
  let left = budget;
  let isPending = false;
  for (const { vm, vmi } of [...members.filter(isMemberDown), ...members.filter((each) => !isMemberDown(each))]) {
    const update = vmi ? vmiUpdate(vm, vmi, specOf) : 'none';
    if (!vmi || update === 'none') continue;
    const isFree = update === 'relabel' || isDown(vm, vmi);
    if (isDeleting(vmi) || (!isFree && left <= 0)) {
      isPending = true;
      continue;
    }
    if (!isFree) left -= 1;
    plan[update].push({ vm, vmi });
  }
  return { ...plan, isPending };
}

const isMemberDown = ({ vm, vmi }: Member): boolean => isDown(vm, vmi);

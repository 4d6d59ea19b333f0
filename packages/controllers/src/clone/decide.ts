import { conditionOf, isDeleting, type PersistentVolumeClaim } from '@vireo/api';
import { needsBackendStorage } from '@vireo/api/kinds/kubevirt/backendStorage.ts';
import type { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { LAST_RESTORE } from '@vireo/api/kinds/snapshot/names.ts';
import { hasFailed as hasRestoreFailed, isComplete, type Restore } from '../restore/kinds.ts';
import { type Content, hasFailed as hasSnapshotFailed, type Snapshot } from '../snapshot/kinds.ts';
import { type Clone, isOfSnapshot, restoreNameOf, targetNameOf } from './kinds.ts';

/** All that is known of one clone. */
export interface CloneState {
  readonly clone: Clone;
  /** The VM that is copied; undefined where a snapshot is. */
  readonly source: Vm | undefined;
  readonly snapshot: Snapshot | undefined;
  readonly content: Content | undefined;
  readonly restore: Restore | undefined;
  readonly target: Vm | undefined;
  /** Why the disks of the source cannot be kept now. */
  readonly storageProblem: string | undefined;
  /** The claims of the copy that are there. */
  readonly claims: readonly PersistentVolumeClaim[];
}

/** What comes next. Each step is safe to be done again. */
export type Step =
  | { readonly step: 'none' }
  /** Not possible yet: `event` names why, in a word. */
  | { readonly step: 'pend'; readonly event: string; readonly message: string }
  | { readonly step: 'fail'; readonly event: string; readonly message: string }
  | { readonly step: 'createSnapshot' }
  | { readonly step: 'awaitSnapshot' }
  | { readonly step: 'createRestore'; readonly content: Content }
  | { readonly step: 'awaitRestore' }
  | { readonly step: 'succeed' }
  /** The copy stands by itself, or there will be none: what it was made with goes. */
  | { readonly step: 'clear' };

const fail = (event: string, message: string): Step => ({ step: 'fail', event, message });
const pend = (event: string, message: string): Step => ({ step: 'pend', event, message });

export function decide(state: CloneState): Step {
  const { clone, snapshot, content, restore, target } = state;
  const { phase } = clone.status ?? {};
  if (isDeleting(clone)) return { step: 'none' };
  if (phase === 'Failed') return hasHelpers(state) ? { step: 'clear' } : { step: 'none' };
  if (phase === 'Succeeded') return decideEnd(state);
  const isOurs = target?.metadata.annotations?.[LAST_RESTORE]?.startsWith(`${restoreNameOf(clone)}-`);
  if (target && !isOurs)
    return fail('TargetVMExists', `VirtualMachine ${targetNameOf(clone)} already exists: choose another target name`);
  if (restore) {
    if (hasRestoreFailed(restore)) return fail('RestoreFailed', `the restore failed: ${reasonOf(restore)}`);
    return { step: isComplete(restore) && target ? 'succeed' : 'awaitRestore' };
  }
  if (!snapshot) return decideStart(state);
  if (hasSnapshotFailed(snapshot))
    return fail('SnapshotFailed', `snapshot ${snapshot.metadata.name} failed: ${snapshot.status?.error?.message}`);
  if (!snapshot.status?.readyToUse || !content) return { step: 'awaitSnapshot' };
  const problem = contentProblem(content);
  return problem ? fail('SnapshotContentInvalid', problem) : { step: 'createRestore', content };
}

function decideStart({ clone, source, storageProblem }: CloneState): Step {
  const { kind, name } = clone.spec.source;
  if (isOfSnapshot(clone) || !source) return pend('SourceDoesNotExist', `${kind} ${name} does not exist`);
  if (needsBackendStorage(source.spec.template.spec))
    return fail(
      'SourceVMWithBackendStorageInvalid',
      `VirtualMachine ${name} has persistent firmware state (TPM or EFI variables), which cannot be cloned`,
    );
  return storageProblem ? pend('VMVolumeSnapshotsInvalid', storageProblem) : { step: 'createSnapshot' };
}

/** The helpers are needed until every claim of the copy has its data. */
function decideEnd({ clone, claims, restore, snapshot }: CloneState): Step {
  const { restoreName, snapshotName } = clone.status ?? {};
  if (restoreName === undefined && snapshotName === undefined) return { step: 'none' };
  const isBound = claims.every(({ status }) => status?.phase === 'Bound');
  if (!isBound) return { step: 'none' };
  return restore || snapshot || restoreName !== undefined ? { step: 'clear' } : { step: 'none' };
}

/** Whether a restore or a snapshot of the clone's own is still there, or is still said to be. */
function hasHelpers({ clone, restore, snapshot }: CloneState): boolean {
  const { restoreName, snapshotName } = clone.status ?? {};
  const isGoing = [restore, snapshot].every((helper) => !helper || isDeleting(helper));
  const isNamed = restoreName !== undefined || snapshotName !== undefined;
  return isNamed || (!isGoing && (restore !== undefined || !isOfSnapshot(clone)));
}

const reasonOf = (restore: Restore): string => conditionOf(restore, 'Failure')?.reason ?? 'no reason given';

/** What is in a snapshot has to be enough for a VM. */
function contentProblem({ spec }: Content): string | undefined {
  const vm = spec.source.virtualMachine;
  const about = `VirtualMachineSnapshot ${spec.virtualMachineSnapshotName}`;
  if (!vm?.spec) return `${about} does not contain a VM`;
  if (needsBackendStorage(vm.spec.template.spec))
    return `${about} is of a VM with persistent firmware state (TPM or EFI variables), which cannot be cloned`;
  const missing = (spec.volumeBackups ?? []).find(({ volumeSnapshotName }) => !volumeSnapshotName);
  return missing && `${about} has no data for volume ${missing.volumeName}`;
}

import type { Condition } from '../../data/kinds.ts';
import type { VmClone, VmRestore, VmSnapshot, VmSnapshotContent } from '../../data/snapshotKinds.ts';
import type { DiskState } from '../disks/states.ts';
import { bytesOf } from '../quantity.ts';

/** A snapshot of a machine, as the list shows it. */
export interface SnapshotLine {
  readonly name: string;
  readonly uid: string | undefined;
  /** The moment that it holds; undefined until it is taken. */
  readonly takenAt: string | undefined;
  readonly state: DiskState;
  readonly isReady: boolean;
  readonly isDeleting: boolean;
  readonly included: readonly string[];
  readonly excluded: readonly string[];
  /** What the moment is like, in words. */
  readonly notes: readonly Note[];
  /** How large the disks in it are. */
  readonly sizeBytes: number | undefined;
}

export interface Note {
  readonly word: string;
  readonly text: string;
  readonly isWarning: boolean;
}

/** The indications of KubeVirt and Vireo, in words. */
const NOTES: Readonly<Record<string, Omit<Note, 'word'>>> = {
  Online: { text: 'Taken while it ran', isWarning: false },
  GuestAgent: { text: 'File systems were frozen: everything written is in it', isWarning: false },
  NoGuestAgent: { text: 'No guest agent: disks are as after a power failure', isWarning: true },
  QuiesceTimeout: { text: 'The guest did not freeze in time: disks are as after a power failure', isWarning: true },
  QuiesceFailed: { text: 'The guest could not freeze: disks are as after a power failure', isWarning: true },
  Paused: { text: 'Taken while it was paused: what was only in memory is missing', isWarning: true },
  PartialSnapshot: { text: 'A disk with data is missing: its storage has no snapshots', isWarning: true },
  NoDisks: { text: 'Only the configuration, without disks', isWarning: true },
};

/** Snapshots of one machine, newest first. */
export const snapshotsOf = (
  snapshots: readonly VmSnapshot[],
  contents: readonly VmSnapshotContent[],
  machine: string,
): SnapshotLine[] =>
  snapshots
    .filter(({ spec }) => spec.source.kind === 'VirtualMachine' && spec.source.name === machine)
    .sort((a, b) => (momentOf(a) < momentOf(b) ? 1 : -1))
    .map((snapshot) => lineOf(snapshot, contents));

const momentOf = ({ metadata, status }: VmSnapshot): string => status?.creationTime ?? metadata.creationTimestamp ?? '';

function lineOf(snapshot: VmSnapshot, contents: readonly VmSnapshotContent[]): SnapshotLine {
  const { metadata, status } = snapshot;
  const content = contents.find((each) => each.metadata.name === status?.virtualMachineSnapshotContentName);
  return {
    name: metadata.name,
    uid: metadata.uid,
    takenAt: status?.creationTime ?? undefined,
    state: snapshotState(snapshot),
    isReady: status?.readyToUse === true,
    isDeleting: metadata.deletionTimestamp !== undefined,
    included: status?.snapshotVolumes?.includedVolumes ?? [],
    excluded: status?.snapshotVolumes?.excludedVolumes ?? [],
    notes: (status?.indications ?? []).map((word) => noteOf(word, status?.sourceIndications)),
    sizeBytes: content && sizeOf(content),
  };
}

function noteOf(word: string, more: NonNullable<VmSnapshot['status']>['sourceIndications'] = []): Note {
  const known = Object.hasOwn(NOTES, word) ? NOTES[word] : undefined;
  const told = more.find(({ indication }) => indication === word)?.message;
  return { word, text: known?.text ?? told ?? word, isWarning: known?.isWarning ?? false };
}

function sizeOf({ spec }: VmSnapshotContent): number | undefined {
  const sizes = (spec?.volumeBackups ?? []).flatMap(
    ({ persistentVolumeClaim }) => bytesOf(persistentVolumeClaim?.spec?.resources?.requests?.storage) ?? [],
  );
  return sizes.length > 0 ? sizes.reduce((sum, each) => sum + each, 0) : undefined;
}

function snapshotState({ metadata, status }: VmSnapshot): DiskState {
  if (metadata.deletionTimestamp) return { tone: 'busy', label: 'Being deleted' };
  const reason = status?.error?.message ?? conditionText(status?.conditions, 'Failure');
  if (status?.phase === 'Failed') return { tone: 'err', label: 'Failed', reason };
  if (status?.readyToUse) return { tone: 'ok', label: 'Ready' };
  return { tone: 'busy', label: 'Being taken', reason: reason ?? conditionText(status?.conditions, 'Progressing') };
}

/** What a condition says; KubeVirt puts its sentences into the reason. */
function conditionText(conditions: readonly Condition[] | undefined, type: string): string | undefined {
  const found = conditions?.find((each) => each.type === type);
  return found?.message || found?.reason || undefined;
}

/** A restore or a clone, which runs or has ended. */
export interface JobLine {
  readonly kind: 'restore' | 'clone';
  readonly name: string;
  readonly text: string;
  readonly state: DiskState;
  readonly startedAt: string | undefined;
  /** The machine that a clone makes. */
  readonly target: string | undefined;
}

/** Restores of a machine, newest first. */
export const restoresOf = (restores: readonly VmRestore[], machine: string): JobLine[] =>
  restores
    .filter(({ spec }) => spec.target.name === machine)
    .map((restore) => ({
      kind: 'restore' as const,
      name: restore.metadata.name,
      text: `from ${restore.spec.virtualMachineSnapshotName}`,
      state: restoreState(restore),
      startedAt: restore.metadata.creationTimestamp,
      target: undefined,
    }))
    .sort(newestFirst);

function restoreState({ status }: VmRestore): DiskState {
  if (status?.complete) return { tone: 'ok', label: 'Restored' };
  const failure = status?.conditions?.find(({ type, status: is }) => type === 'Failure' && is === 'True');
  if (failure) return { tone: 'err', label: 'Failed', reason: failure.message || failure.reason };
  return { tone: 'busy', label: 'Restoring', reason: conditionText(status?.conditions, 'Progressing') };
}

/** Clones of a machine and of its snapshots, newest first. */
export const clonesOf = (clones: readonly VmClone[], machine: string, snapshots: readonly string[]): JobLine[] =>
  clones
    .filter(({ spec: { source } }) =>
      source.kind === 'VirtualMachineSnapshot' ? snapshots.includes(source.name) : source.name === machine,
    )
    .map((clone) => ({
      kind: 'clone' as const,
      name: clone.metadata.name,
      text:
        clone.spec.source.kind === 'VirtualMachineSnapshot'
          ? `of snapshot ${clone.spec.source.name}`
          : 'of the machine',
      state: cloneState(clone),
      startedAt: clone.metadata.creationTimestamp,
      target: clone.status?.targetName ?? clone.spec.target?.name,
    }))
    .sort(newestFirst);

const CLONE_WORDS: Readonly<Record<string, string>> = {
  SnapshotInProgress: 'Taking a snapshot',
  CreatingTargetVM: 'Creating the machine',
  RestoreInProgress: 'Copying disks',
};

function cloneState({ status }: VmClone): DiskState {
  const phase = status?.phase;
  if (phase === 'Succeeded') return { tone: 'ok', label: 'Cloned' };
  const reason = conditionText(status?.conditions, 'Ready') ?? conditionText(status?.conditions, 'Progressing');
  if (phase === 'Failed') return { tone: 'err', label: 'Failed', reason };
  return { tone: 'busy', label: CLONE_WORDS[phase ?? ''] ?? 'Cloning', reason };
}

const newestFirst = (a: JobLine, b: JobLine): number => ((a.startedAt ?? '') < (b.startedAt ?? '') ? 1 : -1);

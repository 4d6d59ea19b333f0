import { type KubeObject, keyOf, type Vmi } from '../../data/kinds.ts';
import type { PoolVm } from '../../data/setKinds.ts';
import { type State, stateOf, wordOfPhase } from '../states.ts';
import { POOL_REVISION_LABEL } from './set.ts';

/** A machine of a set. */
export interface Member {
  readonly key: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly ownerUid: string | undefined;
  readonly state: State;
  readonly isReady: boolean;
  readonly isMigrating: boolean;
  readonly isDeleting: boolean;
  /** Its guest has ended: it does not count any more. */
  readonly hasEnded: boolean;
  readonly node: string | undefined;
  readonly deletionCost: number;
  readonly createdAt: string | undefined;
  /** Why it is not ready, as its conditions say. */
  readonly why: string | undefined;
  /** Why its set deletes it, if that is written on it. */
  readonly whyGoing: string | undefined;
  /** The pool that has made it, whether it has left that or not. */
  readonly madeBy: string | undefined;
}

const WHY_GOING: Readonly<Record<string, string>> = {
  ScaleIn: 'the pool has too many',
  Replacement: 'another one takes its place',
};

export function vmiMember(vmi: Vmi & { status?: { migrationState?: MigrationState } }): Member {
  const { status } = vmi;
  const isDeleting = vmi.metadata.deletionTimestamp !== undefined;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready');
  const isPaused = status?.conditions?.some(({ type, status: is }) => type === 'Paused' && is === 'True') ?? false;
  return {
    ...identity(vmi),
    state: stateOf(isDeleting ? 'Terminating' : wordOfPhase(status?.phase, isPaused)),
    isReady: ready?.status === 'True',
    isMigrating: isUnderWay(status?.migrationState),
    isDeleting,
    hasEnded: status?.phase === 'Succeeded' || status?.phase === 'Failed',
    node: status?.nodeName,
    why: ready?.status === 'False' ? (ready.message ?? ready.reason) : undefined,
  };
}

/** A VM of a pool. */
export function vmMember(vm: PoolVm): Member {
  const ready = vm.status?.conditions?.find(({ type }) => type === 'Ready');
  return {
    ...identity(vm),
    state: stateOf(vm.status?.printableStatus),
    isReady: vm.status?.ready ?? ready?.status === 'True',
    isMigrating: vm.status?.printableStatus === 'Migrating',
    isDeleting: vm.metadata.deletionTimestamp !== undefined,
    hasEnded: false,
    node: undefined,
    why: ready?.status === 'False' ? (ready.message ?? ready.reason) : undefined,
  };
}

interface MigrationState {
  readonly startTimestamp?: string;
  readonly endTimestamp?: string;
  readonly completed?: boolean;
}

const isUnderWay = (state: MigrationState | undefined): boolean =>
  state?.startTimestamp !== undefined && state.endTimestamp === undefined && state.completed !== true;

function identity(object: KubeObject) {
  const { namespace = '', name, uid = '', ownerReferences, annotations, labels, creationTimestamp } = object.metadata;
  const cost = annotations?.['kubevirt.io/deletion-cost'] ?? '';
  return {
    key: keyOf(object),
    namespace,
    name,
    uid,
    ownerUid: ownerReferences?.find(({ controller }) => controller)?.uid,
    deletionCost: /^[+-]?\d{1,10}$/.test(cost) ? Number(cost) : 0,
    createdAt: creationTimestamp,
    whyGoing: WHY_GOING[annotations?.['vireo.dev/pool-deletion'] ?? ''],
    // A revision is called after its pool and a number.
    madeBy: labels?.[POOL_REVISION_LABEL]?.replace(/-\d+$/, ''),
  };
}

/** The machines of a set: what goes last, then by name. */
export const membersOf = (uid: string, all: Iterable<Member>): Member[] =>
  [...all]
    .filter(({ ownerUid }) => ownerUid === uid)
    .sort((a, b) => Number(isLeaving(a)) - Number(isLeaving(b)) || (a.name < b.name ? -1 : 1));

export const isLeaving = ({ isDeleting, hasEnded }: Member): boolean => isDeleting || hasEnded;

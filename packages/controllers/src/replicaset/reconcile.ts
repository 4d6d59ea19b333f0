import { hasStatus, type Statement } from '../conditions.ts';
import { isDeleting, type Vmi } from '../kinds.ts';
import { isNamespaceEnding } from '../namespaceEnding.ts';
import { type ReplicaSetActions, text } from './act.ts';
import { scaleDownOrder } from './order.ts';
import type { Hindrance } from './restraint.ts';
import { NOBODY } from './roster.ts';
import { parse, type ReplicaSet, wantedReplicas } from './set.ts';
import { type Census, census, together } from './standing.ts';
import { failureOf, replicaSetStatus } from './status.ts';
import type { Members } from './tally.ts';
import { diedYoung } from './youth.ts';

/** All that is known of one set. */
export interface ReplicaSetState {
  readonly set: ReplicaSet;
  /** The instances that the set controls. */
  readonly members: Members;
  /** Those that it selects and nobody controls. */
  readonly toAdopt: readonly Vmi[];
  /** Names of sets that select the same instances. */
  readonly overlaps: readonly string[];
  /** Whether the instances are known as they are after all that was done for the set. */
  readonly isCaughtUp: boolean;
  /** What the set waits for before it is worked on again. */
  readonly held: Hindrance | undefined;
  readonly now: Date;
}

/**
 * What came of it: `hindered`, so that the next try has to wait; `idle`, for nothing was tried; `granted`, for nothing was
 * refused; or `well`, for some instance is ready besides.
 */
export type Progress = { readonly hindered: Hindrance } | 'idle' | 'granted' | 'well';

/** How many instances are created or deleted for one set in one go. */
export const BURST = 250;

/** Brings the number of instances in line with what the set wants, and its status with what is there. */
export async function reconcileReplicaSet(state: ReplicaSetState, act: ReplicaSetActions): Promise<Progress> {
  const { set } = state;
  const parsed = parse(set);
  if ('problem' in parsed) {
    await writeStatus(state, NOBODY, failureOf('FailedCreate', parsed.problem), act);
    return 'idle';
  }
  const isAtRest = isDeleting(set) || set.spec.paused === true;
  const adopted = isAtRest ? [] : await claim(set, state.toAdopt, state.members.toRelease, act);
  const counted = adopted.length === 0 ? state.members : together(state.members, census(adopted));
  const isHeld = state.held === 'refused' || (state.held === 'fruitless' && counted.readyCount === 0);
  if (isAtRest || isHeld || !state.isCaughtUp) {
    await writeStatus(state, counted, isAtRest ? undefined : 'unchanged', act);
    return 'idle';
  }
  const { failure, isTried } = await scale(set, counted, act);
  await writeStatus(state, counted, failure, act);
  if (failure) return { hindered: 'refused' };
  if (isTried && counted.readyCount === 0 && counted.spent.some(diedYoung)) return { hindered: 'fruitless' };
  return counted.readyCount > 0 || wantedReplicas(set) === 0 ? 'well' : 'granted';
}

/** Lets go of what the set no longer selects and takes what it selects and nobody has. Gives what it has taken. */
async function claim(
  set: ReplicaSet,
  toAdopt: readonly Vmi[],
  toRelease: readonly Vmi[],
  act: ReplicaSetActions,
): Promise<Vmi[]> {
  await Promise.all(toRelease.map((vmi) => act.release(set, vmi)));
  if (toAdopt.length === 0) return [];
  // A set that is deleted without its instances must not take back those that it lets go; the cache may not know yet.
  const current = await act.reread(set);
  if (!current || current.metadata.uid !== set.metadata.uid || isDeleting(current)) return [];
  const adopted = await Promise.all(toAdopt.map((vmi) => act.adopt(set, vmi)));
  return adopted.filter((vmi) => vmi !== undefined);
}

interface Scaled {
  readonly failure?: Statement;
  readonly isTried: boolean;
}

/** Creates what is missing or deletes what is too much; if that went well, clears away what is of no use any more. */
async function scale(set: ReplicaSet, { active, spent }: Census, act: ReplicaSetActions): Promise<Scaled> {
  const surplus = active.length - wantedReplicas(set);
  if (surplus < 0) {
    // As many as there are already were granted before; after a refusal that says nothing.
    const isTrusted = !hasStatus(set.status?.conditions, 'ReplicaFailure', 'True');
    const { error } = await act.create(set, Math.min(-surplus, BURST), isTrusted ? Math.max(1, active.length) : 1);
    // What is wanted in a namespace that goes will not be wanted for long.
    if (error !== undefined && isNamespaceEnding(error)) return { isTried: false };
    if (error !== undefined) return { failure: failureOf('FailedCreate', text(error)), isTried: true };
  }
  const going = surplus > 0 ? scaleDownOrder(active).slice(0, Math.min(surplus, BURST)) : [];
  for (const [vmis, isSpent] of [[going, false] as const, [spent.slice(0, BURST), true] as const]) {
    const { error } = vmis.length > 0 ? await act.delete(set, vmis, isSpent) : {};
    if (error !== undefined) return { failure: failureOf('FailedDelete', text(error)), isTried: true };
  }
  return { isTried: true };
}

async function writeStatus(
  { set, overlaps, now }: ReplicaSetState,
  counted: Census,
  failure: Statement | 'unchanged' | undefined,
  act: ReplicaSetActions,
): Promise<void> {
  const status = replicaSetStatus(set, { census: counted, failure, overlaps, now });
  await act.writeStatus(set, status);
  const [was, is] = [set.status?.conditions, status.conditions];
  const begins = (type: string) => !hasStatus(was, type, 'True') && hasStatus(is, type, 'True');
  if (begins('ReplicaPaused')) act.tell(set, 'Normal', 'SuccessfulPaused', 'Paused');
  if (hasStatus(was, 'ReplicaPaused', 'True') && !set.spec.paused)
    act.tell(set, 'Normal', 'SuccessfulResumed', 'Resumed');
  if (begins('SelectorOverlap')) {
    const message = is?.find(({ type }) => type === 'SelectorOverlap')?.message ?? '';
    act.tell(set, 'Warning', 'SelectorOverlap', message);
  }
}

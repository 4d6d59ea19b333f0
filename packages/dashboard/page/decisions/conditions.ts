import type { Condition } from '../data/kinds.ts';
import type { FoldedEvent } from './events.ts';
import type { State } from './states.ts';

/** A line of the check list of conditions. */
export interface Check {
  readonly type: string;
  readonly verdict: 'good' | 'bad' | 'neutral';
  readonly text: string;
  readonly since: string | undefined;
}

/** Conditions that are good news when true; of all others, true or false is neither good nor bad by itself. */
const WANTED = new Set([
  'Ready',
  'PodScheduled',
  'DataVolumesReady',
  'Initialized',
  'AgentConnected',
  'Synchronized',
  'Provisioned',
  'Available',
  'Created',
]);
/** Conditions that are bad news when true. */
const UNWANTED = new Set(['Failure', 'RestartRequired', 'ManualRecoveryRequired', 'Degraded']);

/** The check list: what is wrong first. A machine that is off on purpose need not be ready. */
export function checksOf(conditions: readonly Condition[] = [], { isOff = false } = {}): Check[] {
  const rank = { bad: 0, good: 1, neutral: 2 };
  return conditions
    .map(({ type, status, reason, message, lastTransitionTime }) => ({
      type,
      verdict: isOff && type === 'Ready' ? ('neutral' as const) : verdictOf(type, status),
      text: [status === 'True' ? 'yes' : status === 'False' ? 'no' : 'unknown', reason, message]
        .filter(Boolean)
        .join(' · '),
      since: lastTransitionTime,
    }))
    .sort((a, b) => rank[a.verdict] - rank[b.verdict] || (a.type < b.type ? -1 : 1));
}

function verdictOf(type: string, status: string): Check['verdict'] {
  if (UNWANTED.has(type)) return status === 'True' ? 'bad' : 'neutral';
  if (!WANTED.has(type)) return 'neutral';
  if (status === 'True') return 'good';
  // An agent is a guest's own business.
  return type === 'AgentConnected' ? 'neutral' : 'bad';
}

/** Why a machine is in its state, in one sentence, if it is not simply running or stopped. */
export function whyOf(
  state: State,
  conditions: readonly Condition[],
  events: readonly FoldedEvent[],
): string | undefined {
  if (state.group === 'running' || state.group === 'off' || state.group === 'paused') return undefined;
  const failing = conditions.filter(({ type, status, message }) => message && verdictOf(type, status) === 'bad');
  // Ready only says that something is wrong, others say what.
  const cause = failing.find(({ type }) => type !== 'Ready');
  const warning = events.find(({ isWarning }) => isWarning);
  const isOdd = state.group === 'trouble' || state.group === 'unclear';
  return cause?.message ?? (isOdd ? warning?.message : undefined) ?? failing[0]?.message;
}

import type { UnknownObject } from '@vireo/api';
import { isObject } from '@vireo/api/json.ts';

/** How an object is doing, in a word. */
export interface State {
  readonly name: string;
  readonly error: boolean;
  readonly transitioning: boolean;
  readonly message: string;
}

interface Condition {
  readonly type?: string;
  readonly status?: string;
  readonly reason?: string;
  readonly message?: string;
}

/** Conditions that are bad news when they are true. */
const BAD = ['Failed', 'Failure', 'Stalled', 'RetryLimitExceeded'];
const TRANSITIONING = ['pending', 'scheduling', 'scheduled', 'provisioning', 'waitforfirstconsumer', 'terminating'];
const FAILED = ['failed', 'lost', 'error'];

const state = (name: string, parts: Partial<State> = {}): State => ({
  name,
  error: false,
  transitioning: false,
  message: '',
  ...parts,
});

/** Conditions of which nobody knows yet whether they hold, and the word for an object that has one. */
const UNDER_WAY: Readonly<Record<string, string>> = {
  Provisioned: 'provisioning',
  Initialized: 'initializing',
  Imported: 'importing',
  Updated: 'updating',
};

const isBad = ({ type = '', status }: Condition): boolean => BAD.includes(type) && status === 'True';
const isUnderWay = ({ type = '', status }: Condition): boolean =>
  Object.hasOwn(UNDER_WAY, type) && status === 'Unknown';

/**
 * The first that speaks: that it is going, what it says itself to be, what has failed, what is under way, whether it is
 * switched on, its phase, that its controller has not seen it yet. Who says nothing is active.
 */
export function stateOf({ kind, metadata, spec, status }: UnknownObject): State {
  if (metadata.deletionTimestamp) return state('removing', { transitioning: true });
  const { conditions = [], phase, display, observedGeneration } = (status ?? {}) as ObservedStatus;
  if (typeof display === 'string' && display !== '') return ofPhase(display);
  const bad = conditions.find(isBad);
  if (bad) return state('error', { error: true, message: bad.message ?? bad.reason ?? '' });
  const open = conditions.find(isUnderWay);
  if (open) return state(UNDER_WAY[open.type ?? ''] ?? '', { transitioning: true, message: open.message ?? '' });
  const { active } = (spec ?? {}) as { active?: unknown };
  if (typeof active === 'boolean') return state(active ? 'active' : 'inactive');
  if (typeof phase === 'string' && phase !== '') return ofPhase(phase);
  if (typeof observedGeneration !== 'number' || observedGeneration >= (metadata.generation ?? 0))
    return state('active');
  // Clients would lock a VM that somebody has just changed.
  if (kind === 'VirtualMachine') return state('running');
  const message = `generation ${metadata.generation} is not observed yet, but ${observedGeneration}`;
  return state('in-progress', { transitioning: true, message });
}

interface ObservedStatus {
  readonly conditions?: Condition[];
  readonly phase?: unknown;
  readonly display?: unknown;
  readonly observedGeneration?: unknown;
}

function ofPhase(phase: string): State {
  const name = phase.toLowerCase();
  return state(name, { error: FAILED.includes(name), transitioning: TRANSITIONING.includes(name) });
}

/** The status with what clients look at in conditions, whichever kind they are of. */
export function withConditionStates(status: unknown): unknown {
  if (!isObject(status) || !Array.isArray(status.conditions)) return status;
  return { ...status, conditions: status.conditions.map((each) => (isObject(each) ? withConditionState(each) : each)) };
}

const withConditionState = (condition: Record<string, unknown>): Record<string, unknown> => ({
  ...condition,
  error: isBad(condition),
  transitioning: isUnderWay(condition),
  lastUpdateTime: condition.lastUpdateTime ?? condition.lastHeartbeatTime ?? condition.lastTransitionTime ?? '',
});

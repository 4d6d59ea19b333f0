import type { UnknownObject } from '@vireo/api';

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

/** The first that speaks: that it is going, what has failed, its phase; who says nothing is active. */
export function stateOf({ metadata, status }: UnknownObject): State {
  if (metadata.deletionTimestamp) return state('removing', { transitioning: true });
  const { conditions = [], phase } = (status ?? {}) as { conditions?: Condition[]; phase?: unknown };
  const bad = conditions.find((each) => BAD.includes(each.type ?? '') && each.status === 'True');
  if (bad) return state('error', { error: true, message: bad.message ?? bad.reason ?? '' });
  if (typeof phase !== 'string' || phase === '') return state('active');
  const name = phase.toLowerCase();
  return state(name, { error: FAILED.includes(name), transitioning: TRANSITIONING.includes(name) });
}

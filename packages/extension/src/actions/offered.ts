import { ApiError } from '@vireo/api';
import type { Action, ActionResource, Targets } from './action.ts';

/** Whether an action without options would be done now: what user interfaces show as possible. */
export function isOffered<R extends ActionResource>(action: Action<R>, target: Targets[R]): boolean {
  try {
    action.decide(target, { body: {}, parameters: { port: '22' }, query: new URLSearchParams() });
    return true;
  } catch (error) {
    if (error instanceof ApiError) return false;
    throw error;
  }
}

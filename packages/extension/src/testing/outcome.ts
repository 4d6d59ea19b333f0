import { ApiError } from '@vireo/api';
import type { ActionResource, Plan, PlannedAction, Targets } from '../actions/action.ts';

/** What an action decides, or `CODE message` of its refusal. */
export function outcome<R extends ActionResource>(
  action: PlannedAction<R>,
  target: Targets[R],
  {
    body = {},
    parameters = {},
    query = '',
  }: { body?: unknown; parameters?: Record<string, string>; query?: string } = {},
): Plan | string {
  try {
    return action.decide(target, { body, parameters, query: new URLSearchParams(query) });
  } catch (error) {
    if (error instanceof ApiError) return `${error.code} ${error.message}`;
    throw error;
  }
}

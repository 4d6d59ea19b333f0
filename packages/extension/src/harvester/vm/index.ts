import type { Action } from '../../actions/action.ts';

/** Actions on machines. */
export const VM_ACTIONS: readonly Action[] = [];

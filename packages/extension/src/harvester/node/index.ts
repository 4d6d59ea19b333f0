import type { Action } from '../../actions/action.ts';

/** Actions on nodes. */
export const NODE_ACTIONS: readonly Action[] = [];

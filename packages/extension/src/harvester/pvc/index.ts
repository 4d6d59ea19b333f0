import type { Action } from '../../actions/action.ts';

/** Actions on claims. */
export const CLAIM_ACTIONS: readonly Action[] = [];

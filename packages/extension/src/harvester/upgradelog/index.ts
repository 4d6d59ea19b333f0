import type { Action } from '../../actions/action.ts';

/** Actions on upgrade logs. */
export const UPGRADE_LOG_ACTIONS: readonly Action[] = [];

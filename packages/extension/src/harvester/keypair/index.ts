import type { Action } from '../../actions/action.ts';
import { keygen } from './keygen.ts';

/** Actions on key pairs. */
export const KEY_PAIR_ACTIONS: readonly Action[] = [keygen];

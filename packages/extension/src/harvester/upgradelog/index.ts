import type { Action } from '../../actions/action.ts';
import { download } from './download.ts';
import { generate } from './generate.ts';

/** Actions on upgrade logs. */
export const UPGRADE_LOG_ACTIONS: readonly Action[] = [generate, download];

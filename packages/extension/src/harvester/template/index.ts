import type { Action } from '../../actions/action.ts';
import { versions } from './versions.ts';

/** Actions on templates. */
export const TEMPLATE_ACTIONS: readonly Action[] = [versions];

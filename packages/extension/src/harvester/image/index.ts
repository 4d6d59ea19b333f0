import type { Action } from '../../actions/action.ts';

/** Actions on images. */
export const IMAGE_ACTIONS: readonly Action[] = [];

import type { Action } from '../../actions/action.ts';
import { cancelExpand } from './cancelExpand.ts';
import { clone } from './clone.ts';
import { dataMigration } from './dataMigration.ts';
import { exportVolume } from './export.ts';
import { snapshot } from './snapshot.ts';

/** Actions on claims. */
export const CLAIM_ACTIONS: readonly Action[] = [exportVolume, clone, snapshot, dataMigration, cancelExpand];

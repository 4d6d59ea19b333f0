import type { Action } from '../../actions/action.ts';
import { restore } from './restore.ts';

/** Actions on snapshots of volumes. */
export const VOLUME_SNAPSHOT_ACTIONS: readonly Action[] = [restore];

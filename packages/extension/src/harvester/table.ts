import type { Action } from '../actions/action.ts';
import { IMAGE_ACTIONS } from './image/index.ts';
import { KEY_PAIR_ACTIONS } from './keypair/index.ts';
import { NODE_ACTIONS } from './node/index.ts';
import { CLAIM_ACTIONS } from './pvc/index.ts';
import { QUOTA_ACTIONS } from './quota/index.ts';
import { TEMPLATE_ACTIONS } from './template/index.ts';
import { UPGRADE_LOG_ACTIONS } from './upgradelog/index.ts';
import { VM_ACTIONS } from './vm/index.ts';
import { VOLUME_SNAPSHOT_ACTIONS } from './volumesnapshot/index.ts';

/** Harvester's part of the one table. */
export const HARVESTER_ACTIONS: readonly Action[] = [
  ...VM_ACTIONS,
  ...NODE_ACTIONS,
  ...CLAIM_ACTIONS,
  ...VOLUME_SNAPSHOT_ACTIONS,
  ...IMAGE_ACTIONS,
  ...UPGRADE_LOG_ACTIONS,
  ...TEMPLATE_ACTIONS,
  ...KEY_PAIR_ACTIONS,
  ...QUOTA_ACTIONS,
];

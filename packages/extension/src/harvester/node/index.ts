import type { Action } from '../../actions/action.ts';
import { cordon, uncordon } from './cordon.ts';
import { disableCPUManager, enableCPUManager } from './cpuManager.ts';
import { disableMaintenanceMode, enableMaintenanceMode, listUnhealthyVM, maintenancePossible } from './maintenance.ts';
import { powerAction, powerActionPossible } from './power.ts';

/** Actions on nodes. */
export const NODE_ACTIONS: readonly Action[] = [
  cordon,
  uncordon,
  maintenancePossible,
  enableMaintenanceMode,
  disableMaintenanceMode,
  listUnhealthyVM,
  powerActionPossible,
  powerAction,
  enableCPUManager,
  disableCPUManager,
];

import type { Action } from '../../actions/action.ts';
import { forceStop, pause, restart, softReboot, start, stop, unpause } from './lifecycle.ts';
import { addVolume, removeVolume } from './volumes.ts';

/** Actions on machines. */
export const VM_ACTIONS: readonly Action[] = [
  start,
  stop,
  restart,
  softReboot,
  pause,
  unpause,
  forceStop,
  addVolume,
  removeVolume,
];

import type { Action } from '../../actions/action.ts';
import { backup } from './backup.ts';
import { ejectCdRom, ejectCdRomVolume, insertCdRomVolume } from './cdrom.ts';
import { clone } from './clone.ts';
import { cpuAndMemoryHotplug } from './cpuAndMemory.ts';
import { forceStop, pause, restart, softReboot, start, stop, unpause } from './lifecycle.ts';
import { abortMigration, findMigratableNodes, migrate } from './migration.ts';
import { addNic, findHotunpluggableNics, removeNic } from './nics.ts';
import { restore, snapshot } from './snapshot.ts';
import { cancelStorageMigration, storageMigration } from './storageMigration.ts';
import { createTemplate } from './template/createTemplate.ts';
import { addVolume, removeVolume } from './volumes.ts';

/** Actions on VMs. */
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
  snapshot,
  backup,
  restore,
  clone,
  createTemplate,
  insertCdRomVolume,
  ejectCdRomVolume,
  ejectCdRom,
  migrate,
  abortMigration,
  findMigratableNodes,
  storageMigration,
  cancelStorageMigration,
  addNic,
  removeNic,
  findHotunpluggableNics,
  cpuAndMemoryHotplug,
];

import { HARVESTER_ACTIONS } from '../harvester/table.ts';
import {
  objectGraphOfPool,
  objectGraphOfReplicaSet,
  objectGraphOfVm,
  objectGraphOfVmi,
} from '../objectgraph/actions.ts';
import type { Action } from './action.ts';
import { NOT_IMPLEMENTED } from './notImplemented.ts';
import { expandSpec } from './vm/expandSpec.ts';
import { memoryDump, removeMemoryDump } from './vm/memoryDump.ts';
import { migrate } from './vm/migrate.ts';
import { restart } from './vm/restart.ts';
import { start } from './vm/start.ts';
import { stop } from './vm/stop.ts';
import { cancelEvacuation, cancelEvacuationOfVm } from './vmi/evacuation.ts';
import { exec, execStatus, readFile, writeFile } from './vmi/exec.ts';
import { filesystemList, guestOsInfo, userList } from './vmi/guestAgent.ts';
import { freeze, pause, reset, softReboot, unfreeze, unpause } from './vmi/lifecycle.ts';
import { mount, mounts, unmount } from './vmi/mounts.ts';
import { console, portForward, portForwardOfVm, screenshot, usbRedirection, vnc } from './vmi/streams.ts';
import { vsock } from './vmi/vsock.ts';

import { addVmiVolume, addVolume, removeVmiVolume, removeVolume } from './volumes/index.ts';

/** Every action: the one place that routes, discovery, roles and documentation come from. */
export const ACTIONS: readonly Action[] = [
  start,
  stop,
  restart,
  migrate,
  expandSpec,
  objectGraphOfVm,
  memoryDump,
  removeMemoryDump,
  portForwardOfVm,
  pause,
  unpause,
  softReboot,
  reset,
  freeze,
  unfreeze,
  guestOsInfo,
  userList,
  filesystemList,
  exec,
  execStatus,
  readFile,
  writeFile,
  mount,
  unmount,
  mounts,
  objectGraphOfVmi,
  objectGraphOfReplicaSet,
  objectGraphOfPool,
  console,
  vnc,
  screenshot,
  portForward,
  usbRedirection,
  vsock,
  addVolume,
  removeVolume,
  addVmiVolume,
  removeVmiVolume,
  cancelEvacuationOfVm,
  cancelEvacuation,
  ...NOT_IMPLEMENTED,
  ...HARVESTER_ACTIONS,
];

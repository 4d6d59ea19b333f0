import type { Command } from 'commander';
import { accessCommands } from './declarations/access.ts';
import { cdromCommands } from './declarations/cdrom.ts';
import { createCommands } from './declarations/create.ts';
import { everydayCommands } from './declarations/everyday.ts';
import { exportCommands } from './declarations/export.ts';
import { guestCommands } from './declarations/guest.ts';
import { launchCommand } from './declarations/launch.ts';
import { lifecycleCommands } from './declarations/lifecycle.ts';
import { mountCommands } from './declarations/mount.ts';
import { networkCommands } from './declarations/network.ts';
import { objectCommands } from './declarations/objects.ts';
import { snapshotCommands } from './declarations/snapshot.ts';
import { storageCommands } from './declarations/storage.ts';
import { templateCommands } from './declarations/template.ts';

/** The commands on VMs: everyday ones by the words of Incus and Multipass, the others with virtctl's names and flags. What they do is loaded when one is run. */
export function addVmCommands(program: Command): void {
  launchCommand(program);
  everydayCommands(program);
  lifecycleCommands(program);
  accessCommands(program);
  networkCommands(program);
  guestCommands(program);
  createCommands(program);
  storageCommands(program);
  snapshotCommands(program);
  cdromCommands(program);
  mountCommands(program);
  exportCommands(program);
  objectCommands(program);
  templateCommands(program);
}

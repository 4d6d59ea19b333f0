import type { Command } from 'commander';
import { accessCommands } from './declarations/access.ts';
import { guestCommands } from './declarations/guest.ts';
import { lifecycleCommands } from './declarations/lifecycle.ts';

/** The commands on machines, with virtctl's names and flags. What they do is loaded when one is run. */
export function addMachineCommands(program: Command): void {
  lifecycleCommands(program);
  accessCommands(program);
  guestCommands(program);
}

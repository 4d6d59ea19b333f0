import type { Command } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand } from '../declare.ts';

/** What the agent in a guest tells. */
export function guestCommands(program: Command): void {
  for (const [name, summary] of [
    ['guestosinfo', 'print the operating system of a guest'],
    ['userlist', 'print the users who are logged in to a guest'],
    ['fslist', 'print the file systems of a guest'],
  ] as const) {
    clusterCommand(program, name, summary)
      .description(`Prints${summary.slice('print'.length)}, as JSON. Requires the guest agent.`)
      .argument('<vmi>', 'name of the VMI')
      .addHelpText('after', examples([`vireo ${name} web`, 'of the VM web']))
      .action(async (vmi: string, _, command) => (await import('../instance.ts')).guestInfo(name, vmi, given(command)));
  }
}

import type { Command } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { machineCommand } from '../declare.ts';

/** What the agent in a guest tells. */
export function guestCommands(program: Command): void {
  for (const [name, summary] of [
    ['guestosinfo', 'print which system a guest runs'],
    ['userlist', 'print who is logged in to a guest'],
    ['fslist', 'print the file systems of a guest'],
  ] as const) {
    machineCommand(program, name, summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}, as JSON. The agent in the guest tells it.`)
      .argument('<vmi>', 'name of the instance')
      .addHelpText('after', examples([`vireo ${name} web`, 'of the machine web']))
      .action(async (vmi: string, _, command) => (await import('../instance.ts')).guestInfo(name, vmi, given(command)));
  }
}

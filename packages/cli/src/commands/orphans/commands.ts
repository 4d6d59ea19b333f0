import type { Command } from 'commander';
import { examples } from '../../examples.ts';
import { given, withConnection } from '../vms/connectionOptions.ts';
import type { OrphansOptions } from './orphans.ts';

/** `vireo orphans`: guests that a restored server does not know. Its code is loaded when it runs. */
export function addOrphansCommand(program: Command): void {
  withConnection(program.command('orphans'))
    .summary('list and stop guests that a restored server does not know')
    .description(
      'After a restore, nodes may run guests that are newer than the backup. The server does not know them, and the ' +
        'nodes leave them alone. This command lists them, with the nodes that have not reported since the restore. ' +
        'Until you confirm it, the server starts no VM: the guest of a VM could be among them.',
    )
    .option('--stop <guest...>', 'shut down guests: NAMESPACE/NAME, or NODE/NAMESPACE/NAME')
    .option('--confirm', 'let VMs start again')
    .addHelpText(
      'after',
      examples(
        ['vireo orphans', 'which guests there are'],
        ['vireo orphans --stop shop/web', 'shut one down'],
        ['vireo orphans --confirm', 'the server starts VMs from now on'],
      ),
    )
    .action(async (_, command: Command) => (await import('./orphans.ts')).orphans(given<OrphansOptions>(command)));
}

import type { Command } from 'commander';
import { examples } from '../../examples.ts';
import { homeOption } from '../../options.ts';
import type { RestoreOptions } from './restore.ts';

/** `vireo backup` and `vireo restore`. Their code is loaded when one of them runs. */
export function addBackupCommands(program: Command): void {
  program
    .command('backup')
    .summary('back up the objects and keys of a home')
    .description(
      'Writes every object of the server, its keys and certificates, and its list of plug-ins to one file that only you\n' +
        'can read. The server does not have to stop: the backup has everything that was acknowledged before it began.\n' +
        'It also works without a running server. Data of VMs (volumes, images, firmware state, snapshots) is not included.',
    )
    .argument('<file>', 'file to write; it must not exist')
    .addOption(homeOption())
    .addHelpText(
      'after',
      examples(
        ['vireo backup monday.backup', 'of the default home'],
        ['vireo backup --home ./scratch scratch.backup', 'of another home'],
      ),
    )
    .action(async (file: string, options: { home: string }) => (await import('./backup.ts')).backup(file, options));

  program
    .command('restore')
    .summary('restore a home from a backup')
    .description(
      'Checks a backup that `vireo backup` wrote, and makes a home of it: the same objects, users and keys. A home in use\n' +
        'is refused, and so is one that is not empty, unless you use --replace. If the command is killed, the home is as\n' +
        'before or restored; the next `vireo up` finishes the rest. Clients have to list again: watches from versions that\n' +
        'they know get 410.\n' +
        'In another home or on another host, VMs are halted and replica sets and pools are paused, because the originals may still be\n' +
        'running, and VMIs are left out. With --start-vms, run strategies stay as they are.\n' +
        'With --take-over, this home takes the place of the original, whose host is gone: everything stays as it was, the\n' +
        'other nodes go on with their guests and connect here (`vireo join HOST:PORT` on each of them), and no VM starts\n' +
        'until you confirm it with `vireo orphans --confirm`.',
    )
    .argument('<file>', 'file that `vireo backup` wrote')
    .addOption(homeOption())
    .option('--replace', 'replace the objects and keys of a home that has some; the old ones are kept beside them')
    .option('--take-over', 'the host of the original is gone: be the server of its other nodes')
    .option('--start-vms', 'do not halt VMs in another home: they start with the server')
    .addHelpText(
      'after',
      examples(
        ['vireo restore monday.backup --home ./copy', 'into an empty home, beside the original'],
        ['vireo restore monday.backup --replace', 'go back to what was on Monday; stop the server first'],
        ['vireo restore monday.backup --start-vms', 'on another host, when the first one is gone'],
        ['vireo restore monday.backup --take-over', 'the same, if the first one had other nodes'],
      ),
    )
    .action(async (file: string, options: RestoreOptions) => (await import('./restore.ts')).restore(file, options));
}

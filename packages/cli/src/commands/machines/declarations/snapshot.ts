import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { dryRunOption, machineCommand, parseSeconds } from '../declare.ts';

const TIMEOUT_SECONDS = 300;

export function snapshotCommands(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .summary('take snapshots of machines, and restore them')
    .description('Takes snapshots of machines with their disks, and restores machines from them.')
    .addHelpText(
      'after',
      examples(
        ['vireo snapshot create web before-upgrade', 'take a snapshot of a machine, which may run'],
        ['vireo snapshot restore web before-upgrade --stop', 'restore it, and start the machine again'],
      ),
    );
  waiting(
    machineCommand(snapshot, 'create', 'take a snapshot of a machine')
      .description(
        'Takes a snapshot of a machine and its disks. A machine that runs goes on; its file systems are frozen for the moment where its guest agent answers.',
      )
      .argument('<vm>', 'name of the machine')
      .argument('[name]', 'name of the snapshot (default: the machine’s, and the time)')
      .option('--retain', 'keep the data when the snapshot is deleted'),
  )
    .addHelpText('after', examples(['vireo snapshot create web', 'under a name that is made up']))
    .action(async (vm: string, name: string | undefined, _, command) =>
      (await import('../snapshot/create.ts')).create(vm, name, given(command)),
    );
  machineCommand(snapshot, 'list', 'show snapshots')
    .description('Shows the snapshots of a machine, or of all, oldest first.')
    .argument('[vm]', 'name of the machine')
    .addHelpText('after', examples(['vireo snapshot list web', 'of one machine']))
    .action(async (vm: string | undefined, _, command) =>
      (await import('../snapshot/list.ts')).list(vm, given(command)),
    );
  waiting(
    machineCommand(snapshot, 'restore', 'restore a machine from a snapshot')
      .description('Restores a machine that is stopped from a snapshot. What has been written since is lost.')
      .argument('<vm>', 'name of the machine')
      .argument('<name>', 'name of the snapshot')
      .option('--stop', 'stop the machine if it runs, and start it again afterwards')
      .option('--to <name>', 'make a new machine of it, which is stopped, and leave the machine alone'),
  )
    .addHelpText(
      'after',
      examples(
        ['vireo snapshot restore web before-upgrade', 'of a machine that is stopped'],
        ['vireo snapshot restore web before-upgrade --to web-old', 'beside the machine'],
      ),
    )
    .action(async (vm: string, name: string, _, command) =>
      (await import('../snapshot/restore.ts')).restore(vm, name, given(command)),
    );
  machineCommand(snapshot, 'delete', 'delete a snapshot')
    .description('Deletes a snapshot, and its data with it unless that is to be retained.')
    .argument('<vm>', 'name of the machine')
    .argument('<name>', 'name of the snapshot')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo snapshot delete web before-upgrade', 'it cannot be had back']))
    .action(async (vm: string, name: string, _, command) =>
      (await import('../snapshot/remove.ts')).remove(vm, name, given(command)),
    );
}

const waiting = (command: Command): Command =>
  command
    .addOption(new Option('--wait', 'wait until it is done').default(true).hideHelp())
    .option('--no-wait', 'do not wait until it is done')
    .addOption(
      new Option('--timeout <seconds>', 'how long to wait until it is done')
        .default(TIMEOUT_SECONDS)
        .argParser(parseSeconds),
    )
    .addOption(dryRunOption());

import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, dryRunOption, parseSeconds } from '../declare.ts';

const TIMEOUT_SECONDS = 300;

export function snapshotCommands(program: Command): void {
  const snapshot = program
    .command('snapshot')
    .summary('take and restore snapshots of VMs')
    .description('Takes snapshots of VMs and their disks, and restores VMs from them.')
    .addHelpText(
      'after',
      examples(
        ['vireo snapshot create web before-upgrade', 'take a snapshot; the VM can be running'],
        ['vireo snapshot restore web before-upgrade --stop', 'stop the VM, restore it and start it again'],
      ),
    );
  waiting(
    clusterCommand(snapshot, 'create', 'take a snapshot of a VM')
      .description(
        'Takes a snapshot of a VM and its disks. A running VM keeps running; if its guest agent is connected, its file systems are frozen for a moment.',
      )
      .argument('<vm>', 'name of the VM')
      .argument('[name]', 'name of the snapshot (default: the name of the VM and the time)')
      .option('--retain', 'keep the data when the snapshot is deleted'),
  )
    .addHelpText('after', examples(['vireo snapshot create web', 'with a generated name']))
    .action(async (vm: string, name: string | undefined, _, command) =>
      (await import('../snapshot/create.ts')).create(vm, name, given(command)),
    );
  clusterCommand(snapshot, 'list', 'list snapshots')
    .description('Lists the snapshots of a VM, or of all VMs in the namespace, oldest first.')
    .argument('[vm]', 'name of the VM')
    .addHelpText('after', examples(['vireo snapshot list web', 'of one VM']))
    .action(async (vm: string | undefined, _, command) =>
      (await import('../snapshot/list.ts')).list(vm, given(command)),
    );
  waiting(
    clusterCommand(snapshot, 'restore', 'restore a VM from a snapshot')
      .description('Restores a stopped VM from a snapshot. Data written after the snapshot is lost.')
      .argument('<vm>', 'name of the VM')
      .argument('<name>', 'name of the snapshot')
      .option('--stop', 'stop the VM if it is running, and start it again afterwards')
      .option('--to <name>', 'restore to a new VM, which is not started, and leave the original unchanged'),
  )
    .addHelpText(
      'after',
      examples(
        ['vireo snapshot restore web before-upgrade', 'restore a stopped VM'],
        ['vireo snapshot restore web before-upgrade --to web-old', 'restore to a new VM'],
      ),
    )
    .action(async (vm: string, name: string, _, command) =>
      (await import('../snapshot/restore.ts')).restore(vm, name, given(command)),
    );
  clusterCommand(snapshot, 'delete', 'delete a snapshot')
    .description('Deletes a snapshot and its data, unless it was created with --retain.')
    .argument('<vm>', 'name of the VM')
    .argument('<name>', 'name of the snapshot')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo snapshot delete web before-upgrade', 'cannot be undone']))
    .action(async (vm: string, name: string, _, command) =>
      (await import('../snapshot/remove.ts')).remove(vm, name, given(command)),
    );
}

const waiting = (command: Command): Command =>
  command
    .addOption(new Option('--wait', 'wait until it is done').default(true).hideHelp())
    .option('--no-wait', 'do not wait until it is done')
    .addOption(
      new Option('--timeout <seconds>', 'seconds to wait until it is done')
        .default(TIMEOUT_SECONDS)
        .argParser(parseSeconds),
    )
    .addOption(dryRunOption());

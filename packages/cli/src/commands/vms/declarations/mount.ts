import type { Command } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, dryRunOption } from '../declare.ts';

/** The directories of a node that its guests share. */
export function mountCommands(program: Command): void {
  clusterCommand(program, 'mount', 'share a directory with a running VM')
    .description(
      'Shares a directory of the node that runs a VM with its guest, through virtiofs, until the guest stops. Without ' +
        'a directory, lists the directories that are shared. Needs the feature gate HostDisk, the permission to mount, ' +
        'and a VM that has filesystems or the annotation vireo.io/shared-memory: "true".',
    )
    .argument('<vm>', 'name of the VM')
    .argument('[directory]', 'directory of the node')
    .argument('[name]', 'name that the guest mounts it by (default: the name of the directory)')
    .option('--read-only', 'let the guest only read it')
    .option('--at <path>', 'mount it there in the guest; needs the guest agent')
    .addOption(dryRunOption())
    .addHelpText(
      'after',
      examples(
        ['vireo mount web /srv/site', 'share it as site'],
        ['vireo mount web . src --at /src', 'share this directory as src, and mount it in the guest'],
        ['vireo mount web /srv/site --read-only', 'the guest can only read it'],
        ['vireo mount web', 'list the shared directories'],
      ),
    )
    .action(async (vm: string, directory: string | undefined, name: string | undefined, _, command) =>
      (await import('../mount/mount.ts')).mount(vm, directory, name, given(command)),
    );
  clusterCommand(program, 'umount', 'stop sharing a directory with a running VM')
    .description('Takes a directory away from a guest that vireo mount has shared. Unmount it in the guest first.')
    .argument('<vm>', 'name of the VM')
    .argument('<name>', 'name that the guest mounts it by')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo umount web site', 'stop sharing it']))
    .action(async (vm: string, name: string, _, command) =>
      (await import('../mount/mount.ts')).unmount(vm, name, given(command)),
    );
}

import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, parseSeconds, repeated } from '../declare.ts';

/** A VM with one line. */
export function launchCommand(program: Command): void {
  clusterCommand(program, 'launch', 'create and start a VM from an image', ['--user'])
    .description(
      'Creates a VM from an image, starts it and waits until it has booted. The image is a name from the catalog ' +
        '(`vireo image list`), an image reference, or a local image. The default is the small Linux that comes with ' +
        'Vireo. The disk is a claim: it keeps its data across restarts, and is deleted with the VM.',
    )
    .addArgument(new Argument('[image]', 'image to start from, such as debian or ubuntu:22.04 (default: vireo/guest)'))
    .argument('[vm-name]', 'name of the VM (default: a random one)')
    .option('--name <name>', 'name of the VM, instead of the argument')
    .option('--memory <quantity>', 'memory of the guest (default: depends on the image; 512Mi for vireo/guest)')
    .addOption(new Option('--cpus <count>', 'number of CPUs').default(1).argParser(parseCpus))
    .addOption(
      new Option(
        '--disk <quantity>',
        'size of the disk (default: that of the image, at least 10Gi; 1Gi for vireo/guest)',
      ).conflicts('ephemeral'),
    )
    .option('--ephemeral', 'recreate the disk from the image at every start; its data is lost when the VM stops')
    .addOption(
      repeated(
        '--network <name>',
        'NetworkAttachmentDefinition to connect to, in addition to the pod network; can be repeated',
      ),
    )
    .option('--user <name>', 'user that can log in (default: the image’s own; vireo for vireo/guest)')
    .addOption(
      repeated('--ssh-key <key|file>', 'public key of that user (default: the key in ~/.ssh); can be repeated'),
    )
    .option(
      '--password <password>',
      'password of that user (default: vireo, if there is no key or the image is vireo/guest)',
    )
    .option(
      '--cloud-init <file>',
      'file with cloud-init user data; the user and its keys are added if it does not set them',
    )
    .option('--no-wait', 'return without waiting for the VM')
    .option('--console', 'then connect to the serial console')
    .addOption(
      new Option('--timeout <seconds>', 'seconds to wait without progress, or a duration such as 5m')
        .default(300)
        .argParser(parseSeconds),
    )
    .addHelpText(
      'after',
      examples(
        ['vireo launch', 'the small Linux, with a random name'],
        ['vireo launch debian web', 'Debian, named web'],
        ['vireo launch ubuntu:22.04 --disk 20Gi --memory 2Gi --cpus 2', 'another version, with more resources'],
        ['vireo launch fedora --cloud-init setup.yaml --network lab', 'with cloud-init, on a second network'],
        ['vireo launch --name try --ephemeral --console', 'a throw-away VM; watch it boot'],
        ['vireo launch quay.io/containerdisks/fedora:41 web', 'from an image in a registry'],
      ),
    )
    .action(async (image: string | undefined, name: string | undefined, _, command) =>
      (await import('../launch/launch.ts')).launch(image, name, given(command)),
    );
}

function parseCpus(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('Expected a number of CPUs, 1 or more.');
  return Number(text);
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { machineCommand, parseSeconds, repeated } from '../declare.ts';

/** A machine with one line. */
export function launchCommand(program: Command): void {
  machineCommand(program, 'launch', 'make a virtual machine, wait until it runs, and say how to reach it', ['--user'])
    .description(
      'Makes a virtual machine from an image and waits until it runs. Without an image it is the small Linux that comes ' +
        'along; one word alone is the name of the machine, unless it has a slash or a colon as images do.',
    )
    .argument('[image]', 'container disk to start from (default: vireo/guest)')
    .argument('[name]', 'name of the machine (default: a random one)')
    .option('--memory <quantity>', 'memory of the guest', '512Mi')
    .addOption(new Option('--cpus <count>', 'number of CPUs').default(1).argParser(parseCpus))
    .option('--user <name>', 'user that can log in', 'vireo')
    .addOption(repeated('--ssh-key <key|file>', 'public key of that user (default: the one of ~/.ssh)'))
    .option(
      '--password <password>',
      'password of that user (default: vireo, where there is no key or with vireo/guest)',
    )
    .option('--no-wait', 'do not wait until it runs')
    .option('--console', 'connect to its serial console then')
    .addOption(new Option('--timeout <seconds>', 'how long to wait').default(300).argParser(parseSeconds))
    .addHelpText(
      'after',
      examples(
        ['vireo launch', 'the small Linux, any name'],
        ['vireo launch web --memory 1Gi --cpus 2 --console', 'named web; see it boot'],
        ['vireo launch quay.io/containerdisks/fedora:41 web', 'from an image of a registry'],
      ),
    )
    .action(async (image: string | undefined, name: string | undefined, _, command) =>
      (await import('../launch/launch.ts')).launch(image, name, given(command)),
    );
}

function parseCpus(text: string): number {
  if (!/^[1-9]\d{0,3}$/.test(text)) throw new InvalidArgumentError('It is a number of CPUs, 1 or more.');
  return Number(text);
}

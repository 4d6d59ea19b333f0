import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { ACCESS_SHAPE, DEVICE_SHAPE, IMPORT_SHAPES, SYSPREP_SHAPE, supported, VOLUME_SHAPE } from '../create/shapes.ts';
import { machineCommand, parseSeconds, repeated } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** Commands that print manifests; nothing is sent to a server. */
export function createCommands(program: Command): void {
  const create = program
    .command('create')
    .summary('print the manifest of a machine, an instancetype, a preference or a clone')
    .description('Prints a manifest that `kubectl create -f -` takes.')
    .addHelpText('after', examples(['vireo create vm --name web | kubectl create -f -', 'make a machine']));
  vmCommand(create);
  typeCommands(create);
  cloneCommand(create);
}

function vmCommand(create: Command): void {
  const importTypes = Object.entries(IMPORT_SHAPES).map(([type, shape]) => `  type ${type} - ${supported(shape)}`);
  machineCommand(create, 'vm', 'print the manifest of a virtual machine', ['--user'])
    .description(
      'Prints the manifest of a virtual machine.\n\nVolumes boot in this order unless told otherwise:\nContainerdisk > PVC > imported volumes',
    )
    .option('--name <name>', 'name of the machine (default: a random one)')
    .option('--run-strategy <strategy>', 'Always, Manual, Halted, Once or RerunOnFailure', 'Always')
    .addOption(
      new Option('--termination-grace-period <seconds>', 'how long the guest may take to shut down')
        .default(180)
        .argParser(parseSeconds),
    )
    .option('--memory <quantity>', 'memory of the guest (default: 512Mi)')
    .option('--instancetype <name>', 'instancetype; virtualmachineinstancetype/NAME is one of the namespace')
    .option('--infer-instancetype', 'take the instancetype that the first boot disk names')
    .addOption(new Option('--no-infer-instancetype', 'do not').hideHelp())
    .option('--infer-instancetype-from <volume>', 'take the instancetype that this volume names')
    .option('--preference <name>', 'preference; virtualmachinepreference/NAME is one of the namespace')
    .option('--infer-preference', 'take the preference that the first boot disk names')
    .addOption(new Option('--no-infer-preference', 'do not').hideHelp())
    .option('--infer-preference-from <volume>', 'take the preference that this volume names')
    .addOption(repeated('--volume-containerdisk <params>', `container disk: ${supported(VOLUME_SHAPE)}`))
    .addOption(repeated('--volume-pvc <params>', `claim: ${supported(VOLUME_SHAPE)}`))
    .addOption(repeated('--volume-import <params>', `imported volume:\n${importTypes.join('\n')}`))
    .option('--volume-sysprep <params>', `ConfigMap or Secret with answers for Windows: ${supported(SYSPREP_SHAPE)}`)
    .option('--user <name>', 'user that cloud-init makes')
    .option('--password-file <file>', 'file with the password of that user; it stands in the manifest in cleartext')
    .addOption(
      new Option('--ssh-key <key>', 'public key that may log in; can be given several times').argParser(parseKeys),
    )
    .option('--ga-manage-ssh', 'let the guest agent manage ssh keys, where SELinux would forbid it')
    .addOption(repeated('--access-cred <params>', `access credential: ${supported(ACCESS_SHAPE)}`))
    .option('--cloud-init <type>', 'nocloud, configdrive or none (default: nocloud)')
    .option('--cloud-init-user-data <base64>', 'user data of cloud-init')
    .option('--cloud-init-network-data <base64>', 'network data of cloud-init')
    .addOption(repeated('--volume-datasource <params>', 'deprecated: --volume-import=type:ds,…').hideHelp())
    .addOption(repeated('--volume-clone-pvc <params>', 'deprecated: --volume-import=type:pvc,…').hideHelp())
    .addOption(repeated('--volume-blank <params>', 'deprecated: --volume-import=type:blank,…').hideHelp())
    .addHelpText(
      'after',
      examples(
        ['vireo create vm --volume-containerdisk=src:vireo/guest', 'from the image that comes along'],
        ['vireo create vm --name db --memory 2Gi --volume-pvc=src:db-disk,bootorder:1', 'from a claim'],
        ['vireo create vm --volume-import=type:http,url:https://example.com/a.qcow2,size:10Gi', 'from the web'],
        ['vireo create vm --instancetype u1.small --user ada --ssh-key "ssh-ed25519 AAAA…"', 'with a user'],
        ['vireo create vm --user ada --access-cred=type:ssh,src:my-keys', 'with the keys of a secret'],
      ),
    )
    .action(async (_, command) => {
      refuseTogether(
        command,
        ['memory', 'instancetype', 'infer-instancetype', 'infer-instancetype-from'],
        ['preference', 'infer-preference', 'infer-preference-from'],
        ...['user', 'password-file', 'ssh-key', 'ga-manage-ssh'].map((flag) => ['cloud-init-user-data', flag]),
      );
      (await import('../create/create.ts')).createVm(given(command));
    });
}

function typeCommands(create: Command): void {
  machineCommand(create, 'instancetype', 'print the manifest of an instancetype')
    .description('Prints the manifest of a VirtualMachineClusterInstancetype, or of one of a namespace.')
    .requiredOption('--cpu <count>', 'number of CPUs', parseCount)
    .requiredOption('--memory <quantity>', 'amount of memory')
    .option('--name <name>', 'its name (default: a random one)')
    .addOption(repeated('--gpu <params>', `GPU to pass through: ${supported(DEVICE_SHAPE)}`))
    .addOption(repeated('--hostdevice <params>', `device to pass through: ${supported(DEVICE_SHAPE)}`))
    .option('--iothreadspolicy <policy>', 'auto or shared')
    .option('--namespaced', 'one of the namespace')
    .addHelpText(
      'after',
      examples(['vireo create instancetype --cpu 2 --memory 256Mi | kubectl create -f -', 'make one']),
    )
    .action(async (_, command) => (await import('../create/create.ts')).createInstancetype(given(command)));

  machineCommand(create, 'preference', 'print the manifest of a preference')
    .description('Prints the manifest of a VirtualMachineClusterPreference, or of one of a namespace.')
    .option('--name <name>', 'its name (default: a random one)')
    .option('--machine-type <type>', 'machine type that is preferred')
    .option('--cpu-topology <topology>', 'sockets, cores, threads or spread')
    .option('--volume-storage-class <name>', 'storage class that is preferred')
    .option('--namespaced', 'one of the namespace')
    .addHelpText(
      'after',
      examples(['vireo create preference --cpu-topology sockets | kubectl create -f -', 'make one']),
    )
    .action(async (_, command) => (await import('../create/create.ts')).createPreference(given(command)));
}

function cloneCommand(create: Command): void {
  machineCommand(create, 'clone', 'print the manifest of a clone')
    .description('Prints the manifest of a VirtualMachineClone, which copies a machine or a snapshot of one.')
    .requiredOption('--source-name <name>', 'what is copied')
    .option('--source-type <type>', 'vm or vmsnapshot', 'vm')
    .option('--target-name <name>', 'name of the copy (default: the server makes one)')
    .option('--target-type <type>', 'vm', 'vm')
    .option('--name <name>', 'name of the clone object (default: a random one)')
    .addOption(repeated('--label-filter <filter>', 'labels to copy: a pattern, ! in front leaves out'))
    .addOption(repeated('--annotation-filter <filter>', 'annotations to copy'))
    .addOption(repeated('--template-label-filter <filter>', 'labels of the template to copy'))
    .addOption(repeated('--template-annotation-filter <filter>', 'annotations of the template to copy'))
    .addOption(repeated('--new-mac-address <interface:address>', 'MAC address of an interface of the copy'))
    .option('--new-smbios-serial <serial>', 'serial number of the copy')
    .addHelpText(
      'after',
      examples(['vireo create clone --source-name web --target-name web2 | kubectl create -f -', 'copy web']),
    )
    .action(async (_, command) => (await import('../create/create.ts')).createClone(given(command)));
}

/** Several keys may stand in one value; a comma within a key's options is none between keys. */
const parseKeys = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(/,(?=\s*(?:ssh-|ecdsa-|sk-))/).map((key) => key.trim()),
];

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('It is a number.');
  return Number(text);
}

import { type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { ACCESS_SHAPE, DEVICE_SHAPE, IMPORT_SHAPES, SYSPREP_SHAPE, supported, VOLUME_SHAPE } from '../create/shapes.ts';
import { clusterCommand, parseGraceSeconds, repeated } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** Commands that print manifests; nothing is sent to a server. */
export function createCommands(program: Command): void {
  const create = program
    .command('create')
    .summary('print the manifest of a VM, an instancetype, a preference or a clone')
    .description('Prints a manifest to pipe to `kubectl create -f -`.')
    .addHelpText('after', examples(['vireo create vm --name web | kubectl create -f -', 'create a VM']));
  createVm(create);
  typeCommands(create);
  cloneCommand(create);
}

function createVm(create: Command): void {
  const importTypes = Object.entries(IMPORT_SHAPES).map(([type, shape]) => `  type ${type} - ${supported(shape)}`);
  clusterCommand(create, 'vm', 'print the manifest of a VM', ['--user'])
    .description(
      'Prints the manifest of a VM.\n\nUnless a boot order is set, volumes boot in this order:\nContainerdisk > PVC > imported volumes',
    )
    .option('--name <name>', 'name of the VM (default: a random one)')
    .option('--run-strategy <strategy>', 'Always, Manual, Halted, Once or RerunOnFailure', 'Always')
    .addOption(
      new Option('--termination-grace-period <seconds>', 'seconds that the guest has to shut down')
        .default(180)
        .argParser(parseGraceSeconds),
    )
    .option('--memory <quantity>', 'memory of the guest (default: 512Mi)')
    .option('--instancetype <name>', 'instancetype; virtualmachineinstancetype/NAME for a namespaced one')
    .option('--infer-instancetype', 'infer the instancetype from the first boot disk')
    .addOption(new Option('--no-infer-instancetype', 'do not').hideHelp())
    .option('--infer-instancetype-from <volume>', 'infer the instancetype from this volume')
    .option('--preference <name>', 'preference; virtualmachinepreference/NAME for a namespaced one')
    .option('--infer-preference', 'infer the preference from the first boot disk')
    .addOption(new Option('--no-infer-preference', 'do not').hideHelp())
    .option('--infer-preference-from <volume>', 'infer the preference from this volume')
    .addOption(repeated('--volume-containerdisk <params>', `container disk: ${supported(VOLUME_SHAPE)}`))
    .addOption(repeated('--volume-pvc <params>', `claim: ${supported(VOLUME_SHAPE)}`))
    .addOption(repeated('--volume-import <params>', `imported volume:\n${importTypes.join('\n')}`))
    .option('--volume-sysprep <params>', `ConfigMap or Secret with a Windows answer file: ${supported(SYSPREP_SHAPE)}`)
    .option('--user <name>', 'user that cloud-init creates')
    .option(
      '--password-file <file>',
      'file that contains the password of that user; the manifest contains it in cleartext',
    )
    .addOption(new Option('--ssh-key <key>', 'public key that can log in; can be repeated').argParser(parseKeys))
    .option('--ga-manage-ssh', 'allow the guest agent to manage ssh keys under SELinux')
    .addOption(repeated('--access-cred <params>', `access credential: ${supported(ACCESS_SHAPE)}`))
    .option('--cloud-init <type>', 'nocloud, configdrive or none (default: nocloud)')
    .option('--cloud-init-user-data <base64>', 'cloud-init user data')
    .option('--cloud-init-network-data <base64>', 'cloud-init network data')
    .addOption(repeated('--volume-datasource <params>', 'deprecated: --volume-import=type:ds,…').hideHelp())
    .addOption(repeated('--volume-clone-pvc <params>', 'deprecated: --volume-import=type:pvc,…').hideHelp())
    .addOption(repeated('--volume-blank <params>', 'deprecated: --volume-import=type:blank,…').hideHelp())
    .addHelpText(
      'after',
      examples(
        ['vireo create vm --volume-containerdisk=src:vireo/guest', 'from the image that comes with Vireo'],
        ['vireo create vm --name db --memory 2Gi --volume-pvc=src:db-disk,bootorder:1', 'from a claim'],
        [
          'vireo create vm --volume-import=type:http,url:https://example.com/a.qcow2,size:10Gi',
          'import a disk over HTTP',
        ],
        ['vireo create vm --instancetype u1.small --user ada --ssh-key "ssh-ed25519 AAAA…"', 'with a user'],
        ['vireo create vm --user ada --access-cred=type:ssh,src:my-keys', 'with the keys from a Secret'],
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
  clusterCommand(create, 'instancetype', 'print the manifest of an instancetype')
    .description(
      'Prints the manifest of a VirtualMachineClusterInstancetype or, with --namespaced, a VirtualMachineInstancetype.',
    )
    .requiredOption('--cpu <count>', 'number of CPUs', parseCount)
    .requiredOption('--memory <quantity>', 'amount of memory')
    .option('--name <name>', 'name of the object (default: a random one)')
    .addOption(repeated('--gpu <params>', `GPU to pass through: ${supported(DEVICE_SHAPE)}`))
    .addOption(repeated('--hostdevice <params>', `device to pass through: ${supported(DEVICE_SHAPE)}`))
    .option('--iothreadspolicy <policy>', 'auto or shared')
    .option('--namespaced', 'print the namespaced kind')
    .addHelpText(
      'after',
      examples(['vireo create instancetype --cpu 2 --memory 256Mi | kubectl create -f -', 'create one']),
    )
    .action(async (_, command) => (await import('../create/create.ts')).createInstancetype(given(command)));

  clusterCommand(create, 'preference', 'print the manifest of a preference')
    .description(
      'Prints the manifest of a VirtualMachineClusterPreference or, with --namespaced, a VirtualMachinePreference.',
    )
    .option('--name <name>', 'name of the object (default: a random one)')
    .option('--machine-type <type>', 'preferred machine type')
    .option('--cpu-topology <topology>', 'sockets, cores, threads or spread')
    .option('--volume-storage-class <name>', 'preferred storage class')
    .option('--namespaced', 'print the namespaced kind')
    .addHelpText(
      'after',
      examples(['vireo create preference --cpu-topology sockets | kubectl create -f -', 'create one']),
    )
    .action(async (_, command) => (await import('../create/create.ts')).createPreference(given(command)));
}

function cloneCommand(create: Command): void {
  clusterCommand(create, 'clone', 'print the manifest of a clone')
    .description('Prints the manifest of a VirtualMachineClone, which clones a VM or a snapshot.')
    .requiredOption('--source-name <name>', 'name of the VM or snapshot to clone')
    .option('--source-type <type>', 'vm or vmsnapshot', 'vm')
    .option('--target-name <name>', 'name of the new VM (default: generated by the server)')
    .option('--target-type <type>', 'vm', 'vm')
    .option('--name <name>', 'name of the clone object (default: a random one)')
    .addOption(repeated('--label-filter <filter>', 'pattern of labels to copy; a leading ! excludes them'))
    .addOption(repeated('--annotation-filter <filter>', 'pattern of annotations to copy'))
    .addOption(repeated('--template-label-filter <filter>', 'pattern of template labels to copy'))
    .addOption(repeated('--template-annotation-filter <filter>', 'pattern of template annotations to copy'))
    .addOption(repeated('--new-mac-address <interface:address>', 'MAC address of an interface of the new VM'))
    .option('--new-smbios-serial <serial>', 'SMBIOS serial number of the new VM')
    .addHelpText(
      'after',
      examples(['vireo create clone --source-name web --target-name web2 | kubectl create -f -', 'clone web']),
    )
    .action(async (_, command) => (await import('../create/create.ts')).createClone(given(command)));
}

/** Several keys may stand in one value; a comma within a key's options is none between keys. */
const parseKeys = (text: string, before: readonly string[] = []): string[] => [
  ...before,
  ...text.split(/,(?=\s*(?:ssh-|ecdsa-|sk-))/).map((key) => key.trim()),
];

function parseCount(text: string): number {
  if (!/^\d{1,9}$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

import { Argument, type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, dryRunOption, parseCount, parseSeconds, withForwarding } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** Disks of VMs, and what they are made from. */
export function storageCommands(program: Command): void {
  volumeCommands(program);
  uploadCommand(program);
  memoryDumpCommands(program);
  credentialCommands(program);
}

function volumeCommands(program: Command): void {
  const add = clusterCommand(program, 'addvolume', 'attach a disk to a VM')
    .description('Attaches the disk of a DataVolume or a claim to a VM. The VM can be running.')
    .option('--serial <serial>', 'serial number of the disk in the guest (default: the name of the volume)')
    .option('--cache <mode>', 'none, writethrough or writeback')
    .option('--disk-type <type>', 'disk or lun', 'disk')
    .option('--bus <bus>', 'bus to attach the disk to: scsi or virtio', 'scsi')
    .addHelpText(
      'after',
      examples(
        ['vireo addvolume web --volume-name=data', 'attach the claim data'],
        ['vireo addvolume web --volume-name=data --serial=1234567890', 'with a serial number'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../volumes.ts')).addVolume(vm, given(command)));
  const remove = clusterCommand(program, 'removevolume', 'detach a disk from a VM')
    .description('Detaches a disk that was attached with addvolume.')
    .addHelpText('after', examples(['vireo removevolume web --volume-name=data', 'detach the claim data']))
    .action(async (vm: string, _, command) => (await import('../volumes.ts')).removeVolume(vm, given(command)));
  for (const command of [add, remove]) {
    command
      .argument('<vm>', 'name of the VM')
      .requiredOption('--volume-name <name>', 'name of the DataVolume or claim')
      .addOption(new Option('--persist', 'deprecated: always so').hideHelp())
      .addOption(dryRunOption());
  }
}

function uploadCommand(program: Command): void {
  clusterCommand(program, 'image-upload', 'upload a disk image to a DataVolume or a claim')
    .description('Uploads a local disk image to a DataVolume or a claim, and creates it if it does not exist.')
    .addArgument(
      new Argument('[type]', 'where to upload the image').choices(['dv', 'pvc']).argParser((text: string) => text),
    )
    .argument('[name]', 'name of the DataVolume or claim')
    .option('--image-path <file>', 'disk image to upload: raw, qcow2 or ISO, optionally compressed')
    .option('--size <quantity>', 'size of the new volume, such as 10Gi')
    .option('--storage-class <name>', 'storage class of the new volume')
    .option('--access-mode <mode>', 'access mode of the new volume: ReadWriteOnce or ReadWriteMany')
    .option('--volume-mode <mode>', 'block or filesystem')
    .option('--no-create', 'upload to an existing volume; do not create one')
    .option('--uploadproxy-url <url>', 'URL of the upload proxy (default: reported by the server)')
    .option('--insecure', 'accept any certificate of the upload proxy')
    .addOption(
      new Option('--wait-secs <seconds>', 'seconds to wait for the volume to accept uploads')
        .default(300)
        .argParser(parseSeconds),
    )
    .addOption(new Option('--retry <count>', 'number of retries').default(5).argParser(parseCount))
    .option('--force-bind', 'bind the claim without waiting for its first consumer')
    .option('--datasource', 'also create a DataSource of the same name')
    .option('--default-instancetype <name>', 'default instancetype of the image')
    .option('--default-instancetype-kind <kind>', 'kind of the default instancetype')
    .option('--default-preference <name>', 'default preference of the image')
    .option('--default-preference-kind <kind>', 'kind of the default preference')
    // For clusters with KubeVirt's CDI: Vireo itself does not unpack archives.
    .addOption(new Option('--archive-path <file>', 'a tar archive of files instead').hideHelp())
    .addOption(new Option('--pvc-name <name>', 'deprecated: give the name as an argument').hideHelp())
    .addOption(new Option('--pvc-size <quantity>', 'deprecated: --size').hideHelp())
    .addOption(new Option('--block-volume', 'deprecated: --volume-mode=block').hideHelp())
    .addHelpText(
      'after',
      examples(
        ['vireo image-upload dv fedora --size=10Gi --image-path=fedora.qcow2', 'to a new DataVolume'],
        ['vireo image-upload pvc disk --no-create --image-path=disk.img', 'to an existing claim'],
      ),
    )
    .action(async (type: string | undefined, name: string | undefined, _, command) =>
      (await import('../upload/upload.ts')).imageUpload(type, name, given(command)),
    );
}

function memoryDumpCommands(program: Command): void {
  const dump = program
    .command('memory-dump')
    .summary('dump the memory of a VM')
    .description('Dumps the memory of a running VM to a claim, for analysis.')
    .addHelpText('after', examples(['vireo memory-dump get web --claim-name=dump --create-claim', 'to a new claim']));
  withForwarding(clusterCommand(dump, 'get', 'dump the memory to a claim'))
    .description('Dumps the memory of a running VM to a claim. Without --claim-name, uses the claim of the last dump.')
    .argument('<vm>', 'name of the VM')
    .option('--claim-name <name>', 'claim to dump to')
    .option('--create-claim', 'create the claim, with the size that the dump needs')
    .option('--storage-class <name>', 'storage class of the new claim')
    .option('--access-mode <mode>', 'access mode of the new claim: ReadWriteOnce or ReadWriteMany')
    .option('--output <file>', 'then download the dump to this file')
    .option('--format <format>', 'gzip, or raw to decompress it')
    .addHelpText('after', examples(['vireo memory-dump get web --claim-name=dump', 'to the claim dump']))
    .action(async (vm: string, _, command) => (await import('../memoryDump.ts')).getMemoryDump(vm, given(command)));
  withForwarding(clusterCommand(dump, 'download', 'download the last dump'))
    .description('Downloads the last memory dump.')
    .argument('<vm>', 'name of the VM')
    .option('--output <file>', 'output file; - for standard output')
    .option('--format <format>', 'gzip, or raw to decompress it')
    .option('--insecure', 'accept any server certificate')
    .addHelpText('after', examples(['vireo memory-dump download web --output=web.tar.gz', 'as a compressed archive']))
    .action(async (vm: string, _, command) =>
      (await import('../memoryDump.ts')).downloadMemoryDump(vm, given(command)),
    );
  clusterCommand(dump, 'remove', 'disassociate the claim from the VM')
    .description(
      'Disassociates the claim from the VM, so that the next dump can use another claim. The claim is not deleted.',
    )
    .argument('<vm>', 'name of the VM')
    .addHelpText('after', examples(['vireo memory-dump remove web', 'disassociate the claim']))
    .action(async (vm: string, _, command) => (await import('../memoryDump.ts')).removeMemoryDump(vm, given(command)));
}

function credentialCommands(program: Command): void {
  const credentials = program
    .command('credentials')
    .summary('change the ssh keys and passwords of a VM')
    .description('Changes the Secrets with ssh keys and passwords that the guest agent applies in the guest.')
    .addHelpText(
      'after',
      examples(['vireo credentials add-ssh-key -u ada -f ~/.ssh/id_ed25519.pub web', 'add a key for ada']),
    );
  const add = clusterCommand(credentials, 'add-ssh-key', 'add an ssh key', ['--user'])
    .description('Adds a public key to the VM’s Secret for a user, or to a new Secret.')
    .option('--create-secret', 'create a new Secret; a running VM needs --force and a restart')
    .option('--update-secret', 'update the existing Secret')
    .addHelpText(
      'after',
      examples(['vireo credentials add-ssh-key -u ada -f ~/.ssh/id_ed25519.pub web', 'add a key for ada']),
    );
  const remove = clusterCommand(credentials, 'remove-ssh-key', 'remove an ssh key', ['--user'])
    .description('Removes a public key from the VM’s Secrets for a user.')
    .addHelpText(
      'after',
      examples(['vireo credentials remove-ssh-key -u ada -f ~/.ssh/id_ed25519.pub web', 'remove a key of ada']),
    );
  for (const command of [add, remove]) {
    command.option('-f, --file <file>', 'file that contains the public key').option('--value <key>', 'public key');
  }
  const password = clusterCommand(credentials, 'set-password', 'set the password of a user', ['--user'])
    .description('Sets the password of a user in the VM’s Secret for passwords.')
    .requiredOption('-p, --password <password>', 'new password')
    .addHelpText('after', examples(['vireo credentials set-password -u ada -p secret web', 'set the password of ada']));
  for (const command of [add, remove, password]) {
    command
      .argument('<vm>', 'name of the VM')
      .requiredOption('-u, --user <name>', 'user in the guest')
      .option('--secret <name>', 'Secret to change, if there are several')
      .option('--force', 'change a Secret that the VM does not own');
  }
  add.action(async (vm: string, _, command) => {
    refuseTogether(command, ['create-secret', 'update-secret'], ['file', 'value']);
    await (await import('../credentials/credentials.ts')).addSshKey(vm, given(command));
  });
  remove.action(async (vm: string, _, command) => {
    refuseTogether(command, ['file', 'value']);
    await (await import('../credentials/credentials.ts')).removeSshKey(vm, given(command));
  });
  password.action(async (vm: string, _, command) =>
    (await import('../credentials/credentials.ts')).setPassword(vm, given(command)),
  );
}

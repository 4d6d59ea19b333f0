import { Argument, type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { dryRunOption, machineCommand, parseCount, parseSeconds, withForwarding } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** Disks of machines, and what they are made from. */
export function storageCommands(program: Command): void {
  volumeCommands(program);
  uploadCommand(program);
  memoryDumpCommands(program);
  credentialCommands(program);
}

function volumeCommands(program: Command): void {
  const add = machineCommand(program, 'addvolume', 'plug a disk into a virtual machine')
    .description('Plugs the disk of a DataVolume or of a claim into a virtual machine, which may run.')
    .option('--serial <serial>', 'serial number by which the guest knows it (default: the name of the volume)')
    .option('--cache <mode>', 'none, writethrough or writeback')
    .option('--disk-type <type>', 'disk or lun', 'disk')
    .option('--bus <bus>', 'bus that the disk is on: scsi or virtio', 'scsi')
    .addHelpText(
      'after',
      examples(
        ['vireo addvolume web --volume-name=data', 'plug data in'],
        ['vireo addvolume web --volume-name=data --serial=1234567890', 'with a serial number'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../volumes.ts')).addVolume(vm, given(command)));
  const remove = machineCommand(program, 'removevolume', 'take a disk out of a virtual machine')
    .description('Takes a disk out of a virtual machine that was plugged in.')
    .addHelpText('after', examples(['vireo removevolume web --volume-name=data', 'take data out']))
    .action(async (vm: string, _, command) => (await import('../volumes.ts')).removeVolume(vm, given(command)));
  for (const command of [add, remove]) {
    command
      .argument('<vm>', 'name of the machine')
      .requiredOption('--volume-name <name>', 'name of the DataVolume or of the claim')
      .addOption(new Option('--persist', 'deprecated: always so').hideHelp())
      .addOption(dryRunOption());
  }
}

function uploadCommand(program: Command): void {
  machineCommand(program, 'image-upload', 'upload a disk image to a DataVolume or a claim')
    .description('Uploads a disk image of this host to a DataVolume or a claim, which is made unless it exists.')
    .addArgument(
      new Argument('[type]', 'what it is uploaded to').choices(['dv', 'pvc']).argParser((text: string) => text),
    )
    .argument('[name]', 'its name')
    .option('--image-path <file>', 'the image: raw, qcow2 or ISO, also compressed')
    .option('--archive-path <file>', 'a tar archive of files instead')
    .option('--size <quantity>', 'size of what is made, such as 10Gi')
    .option('--storage-class <name>', 'storage class of what is made')
    .option('--access-mode <mode>', 'access mode of what is made: ReadWriteOnce or ReadWriteMany')
    .option('--volume-mode <mode>', 'block or filesystem')
    .option('--no-create', 'use what exists; make nothing')
    .option('--uploadproxy-url <url>', 'where uploads are taken (default: as the server says)')
    .option('--insecure', 'take any certificate there')
    .addOption(
      new Option('--wait-secs <seconds>', 'how long to wait until uploads are taken')
        .default(300)
        .argParser(parseSeconds),
    )
    .addOption(new Option('--retry <count>', 'how often to try again').default(5).argParser(parseCount))
    .option('--force-bind', 'do not wait for the first machine that uses it')
    .option('--datasource', 'make a DataSource of the same name too')
    .option('--default-instancetype <name>', 'instancetype that belongs to the image')
    .option('--default-instancetype-kind <kind>', 'its kind')
    .option('--default-preference <name>', 'preference that belongs to the image')
    .option('--default-preference-kind <kind>', 'its kind')
    .addOption(new Option('--pvc-name <name>', 'deprecated: give the name as an argument').hideHelp())
    .addOption(new Option('--pvc-size <quantity>', 'deprecated: --size').hideHelp())
    .addOption(new Option('--block-volume', 'deprecated: --volume-mode=block').hideHelp())
    .addHelpText(
      'after',
      examples(
        ['vireo image-upload dv fedora --size=10Gi --image-path=fedora.qcow2', 'to a new DataVolume'],
        ['vireo image-upload pvc disk --no-create --image-path=disk.img', 'to a claim that exists'],
        ['vireo image-upload dv files --size=1Gi --archive-path=files.tar', 'files, not a disk'],
      ),
    )
    .action(async (type: string | undefined, name: string | undefined, _, command) =>
      (await import('../upload/upload.ts')).imageUpload(type, name, given(command)),
    );
}

function memoryDumpCommands(program: Command): void {
  const dump = program
    .command('memory-dump')
    .summary('write the memory of a virtual machine to a claim')
    .description('Writes the memory of a running virtual machine to a claim, for analysis.')
    .addHelpText('after', examples(['vireo memory-dump get web --claim-name=dump --create-claim', 'to a new claim']));
  withForwarding(machineCommand(dump, 'get', 'write the memory to a claim'))
    .description(
      'Writes the memory of a running virtual machine to a claim; without a name, to the same as the last time.',
    )
    .argument('<vm>', 'name of the machine')
    .option('--claim-name <name>', 'the claim')
    .option('--create-claim', 'make the claim, as large as it must be')
    .option('--storage-class <name>', 'storage class of the claim that is made')
    .option('--access-mode <mode>', 'access mode of the claim that is made: ReadWriteOnce or ReadWriteMany')
    .option('--output <file>', 'download it to this file then')
    .option('--format <format>', 'gzip, or raw to have it decompressed')
    .addHelpText('after', examples(['vireo memory-dump get web --claim-name=dump', 'to the claim dump']))
    .action(async (vm: string, _, command) => (await import('../memoryDump.ts')).getMemoryDump(vm, given(command)));
  withForwarding(machineCommand(dump, 'download', 'download the last dump'))
    .description('Downloads what was written last.')
    .argument('<vm>', 'name of the machine')
    .option('--output <file>', 'where to write it; - for standard output')
    .option('--format <format>', 'gzip, or raw to have it decompressed')
    .option('--insecure', 'take any certificate')
    .addHelpText('after', examples(['vireo memory-dump download web --output=web.tar.gz', 'to a file, in an archive']))
    .action(async (vm: string, _, command) =>
      (await import('../memoryDump.ts')).downloadMemoryDump(vm, given(command)),
    );
  machineCommand(dump, 'remove', 'let go of the claim')
    .description('Lets go of the claim, so that the next dump can go to another. The claim stays.')
    .argument('<vm>', 'name of the machine')
    .addHelpText('after', examples(['vireo memory-dump remove web', 'let go of it']))
    .action(async (vm: string, _, command) => (await import('../memoryDump.ts')).removeMemoryDump(vm, given(command)));
}

function credentialCommands(program: Command): void {
  const credentials = program
    .command('credentials')
    .summary('change who can log in to a virtual machine')
    .description('Changes the secrets with keys and passwords that the agent in the guest takes over.')
    .addHelpText(
      'after',
      examples(['vireo credentials add-ssh-key -u ada -f ~/.ssh/id_ed25519.pub web', 'let ada in']),
    );
  const add = machineCommand(credentials, 'add-ssh-key', 'let somebody log in by a key', ['--user'])
    .description('Adds a public key to the secret that the machine has for a user, or to a new one.')
    .option('--create-secret', 'make a new secret; a machine that runs needs --force and a restart')
    .option('--update-secret', 'use the secret that there is')
    .addHelpText(
      'after',
      examples(['vireo credentials add-ssh-key -u ada -f ~/.ssh/id_ed25519.pub web', 'let ada in']),
    );
  const remove = machineCommand(credentials, 'remove-ssh-key', 'take a key away', ['--user'])
    .description('Removes a public key from the secrets that the machine has for a user.')
    .addHelpText(
      'after',
      examples(['vireo credentials remove-ssh-key -u ada -f ~/.ssh/id_ed25519.pub web', 'no more']),
    );
  for (const command of [add, remove]) {
    command.option('-f, --file <file>', 'file with the key').option('--value <key>', 'the key itself');
  }
  const password = machineCommand(credentials, 'set-password', 'set a password', ['--user'])
    .description('Sets the password of a user in the secret that the machine has for passwords.')
    .requiredOption('-p, --password <password>', 'the password')
    .addHelpText('after', examples(['vireo credentials set-password -u ada -p secret web', 'ada’s is secret']));
  for (const command of [add, remove, password]) {
    command
      .argument('<vm>', 'name of the machine')
      .requiredOption('-u, --user <name>', 'user of the guest')
      .option('--secret <name>', 'which secret, where there are several')
      .option('--force', 'change a secret that the machine does not own');
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

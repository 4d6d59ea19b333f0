import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, dryRunOption, parseSeconds } from '../declare.ts';

const TIMEOUT_SECONDS = 60;

/** The discs of VMs. */
export function cdromCommands(program: Command): void {
  const cdrom = program
    .command('cdrom')
    .summary('insert and eject CD-ROM discs')
    .description('Inserts discs into the CD-ROM drives of VMs and ejects them, without restarting the VMs.')
    .addHelpText(
      'after',
      examples(
        ['vireo cdrom inject web --volume-name=cdrom --image-path=windows.iso', 'insert a local file'],
        ['vireo cdrom eject web --volume-name=cdrom', 'eject it'],
      ),
    );
  const inject = clusterCommand(cdrom, 'inject', 'insert a disc')
    .description('Inserts a disc into a CD-ROM drive, from a claim or a local image. The VM can be running.')
    .option('--image-path <file>', 'local image to upload and insert')
    .option('--claim-name <name>', 'claim or DataVolume with the disc; with --image-path, the one to create')
    .option('--storage-class <name>', 'storage class of the new claim')
    .option('--replace', 'eject the current disc first')
    .option('--force', 'with --replace: eject even if the guest has locked the tray')
    .option('--uploadproxy-url <url>', 'URL of the upload proxy (default: reported by the server)')
    .option('--insecure', 'accept any certificate of the upload proxy')
    .addHelpText(
      'after',
      examples(
        ['vireo cdrom inject web --volume-name=cdrom --claim-name=windows-iso', 'insert an existing claim'],
        ['vireo cdrom inject web --image-path=windows.iso --wait', 'insert a local file'],
        ['vireo cdrom inject web --claim-name=drivers --replace', 'replace the current disc'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../cdrom/inject.ts')).inject(vm, given(command)));
  const eject = clusterCommand(cdrom, 'eject', 'eject a disc')
    .description('Ejects the disc from a CD-ROM drive. Keeps the drive and the claim.')
    .option('--claim-name <name>', 'eject only if this claim is in the drive')
    .option('--force', 'eject even if the guest has locked the tray')
    .option('--delete-claim', 'delete the claim, or its DataVolume, after the disc is ejected')
    .addHelpText(
      'after',
      examples(
        ['vireo cdrom eject web --volume-name=cdrom', 'eject it'],
        ['vireo cdrom eject web --force --delete-claim', 'even if it is locked, and delete the claim'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../cdrom/eject.ts')).eject(vm, given(command)));
  for (const command of [inject, eject]) {
    command
      .argument('<vm>', 'name of the VM')
      .option('--volume-name <name>', 'name of the drive; optional if the VM has only one')
      .option('--wait', 'wait until the tray is closed')
      .addOption(
        new Option('--timeout <seconds>', 'seconds to wait, with --wait')
          .default(TIMEOUT_SECONDS)
          .argParser(parseSeconds),
      )
      .addOption(dryRunOption());
  }
  clusterCommand(cdrom, 'list', 'list drives and their discs')
    .description('Lists the CD-ROM drives of a VM, or of all VMs in the namespace, and the discs in them.')
    .argument('[vm]', 'name of the VM')
    .addHelpText(
      'after',
      examples(['vireo cdrom list', 'of all VMs in the namespace'], ['vireo cdrom list web', 'of one VM']),
    )
    .action(async (vm: string | undefined, _, command) => (await import('../cdrom/list.ts')).list(vm, given(command)));
}

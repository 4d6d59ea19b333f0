import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given } from '../connectionOptions.ts';
import { dryRunOption, machineCommand, parseSeconds } from '../declare.ts';

const TIMEOUT_SECONDS = 60;

/** The discs of machines. */
export function cdromCommands(program: Command): void {
  const cdrom = program
    .command('cdrom')
    .summary('change the discs in CD-ROM drives')
    .description('Inserts discs into CD-ROM drives of machines and ejects them, without a restart.')
    .addHelpText(
      'after',
      examples(
        ['vireo cdrom inject web --volume-name=cdrom --image-path=windows.iso', 'from this host'],
        ['vireo cdrom eject web --volume-name=cdrom', 'take it out again'],
      ),
    );
  const inject = machineCommand(cdrom, 'inject', 'put a disc into a drive')
    .description('Puts the disc on a claim, or an image of this host, into a CD-ROM drive. The machine may run.')
    .option('--image-path <file>', 'image of this host, which is uploaded first')
    .option('--claim-name <name>', 'claim or DataVolume with the disc; with --image-path, the one that is made')
    .option('--storage-class <name>', 'storage class of the claim that is made')
    .option('--replace', 'eject what is in the drive')
    .option('--force', 'with --replace: although the guest has locked the tray')
    .option('--uploadproxy-url <url>', 'where uploads are taken (default: as the server says)')
    .option('--insecure', 'take any certificate there')
    .addHelpText(
      'after',
      examples(
        ['vireo cdrom inject web --volume-name=cdrom --claim-name=windows-iso', 'a claim that exists'],
        ['vireo cdrom inject web --image-path=windows.iso --wait', 'a file of this host'],
        ['vireo cdrom inject web --claim-name=drivers --replace', 'in exchange for what is in'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../cdrom/inject.ts')).inject(vm, given(command)));
  const eject = machineCommand(cdrom, 'eject', 'take the disc out of a drive')
    .description('Takes the disc out of a CD-ROM drive. The drive stays, and so does the claim.')
    .option('--claim-name <name>', 'only if this claim is in the drive')
    .option('--force', 'although the guest has locked the tray')
    .option('--delete-claim', 'delete the claim, or its DataVolume, when the disc is out')
    .addHelpText(
      'after',
      examples(
        ['vireo cdrom eject web --volume-name=cdrom', 'take it out'],
        ['vireo cdrom eject web --force --delete-claim', 'at once, and away with it'],
      ),
    )
    .action(async (vm: string, _, command) => (await import('../cdrom/eject.ts')).eject(vm, given(command)));
  for (const command of [inject, eject]) {
    command
      .argument('<vm>', 'name of the machine')
      .option('--volume-name <name>', 'name of the drive; may be left out where there is one')
      .option('--wait', 'wait until the tray is closed')
      .addOption(
        new Option('--timeout <seconds>', 'how long --wait waits').default(TIMEOUT_SECONDS).argParser(parseSeconds),
      )
      .addOption(dryRunOption());
  }
  machineCommand(cdrom, 'list', 'show drives and what is in them')
    .description('Shows the CD-ROM drives of a machine, or of all, and the discs in them.')
    .argument('[vm]', 'name of the machine')
    .addHelpText('after', examples(['vireo cdrom list', 'all of the namespace'], ['vireo cdrom list web', 'of one']))
    .action(async (vm: string | undefined, _, command) => (await import('../cdrom/list.ts')).list(vm, given(command)));
}

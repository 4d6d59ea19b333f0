import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given, parseTimeout } from '../connectionOptions.ts';
import { machineCommand, parseCount, parsePairs, withForwarding } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** Disks and manifests of machines, for download. */
export function exportCommands(program: Command): void {
  const parent = program
    .command('vmexport')
    .summary('download disks and manifests of virtual machines')
    .description('Offers disks and manifests of machines, snapshots and claims for download, and downloads them.')
    .addHelpText('after', examples(['vireo vmexport download web --vm=web --output=web.img.gz', 'the disk of web']));

  withSource(machineCommand(parent, 'create', 'offer something for download'))
    .description('Offers the disks of a machine, a snapshot or a claim for download.')
    .addHelpText('after', examples(['vireo vmexport create offer --vm=web --ttl=2h', 'for two hours']))
    .action(async (name: string, _, command) => {
      refuseTogether(command, SOURCES);
      await (await import('../export/export.ts')).createExport(name, given(command));
    });

  machineCommand(parent, 'delete', 'end an offer')
    .description('Ends an offer.')
    .argument('<name>', 'name of the export')
    .addHelpText('after', examples(['vireo vmexport delete offer', 'end it']))
    .action(async (name: string, _, command) =>
      (await import('../export/export.ts')).deleteExport(name, given(command)),
    );

  withForwarding(withSource(machineCommand(parent, 'download', 'download a disk or manifests')))
    .description(
      'Downloads a disk or manifests. With --vm, --snapshot or --pvc the offer is made, and ends afterwards.',
    )
    .option('--volume <name>', 'which volume, where there are several')
    .option('--output <file>', 'where to write it; - for standard output')
    .option('--format <format>', 'gzip, or raw to have it decompressed')
    .option('--insecure', 'take any certificate')
    .option('--keep-vme', 'do not end the offer')
    .option('--delete-vme', 'end the offer even if it was there before')
    .option('--manifest', 'manifests instead of a disk')
    .option('--manifest-output-format <format>', 'json or yaml')
    .option('--include-secret', 'with the manifests, the secret that opens the disks')
    .option('--service-url <host>', 'host and port to use instead of those inside the cluster')
    .addOption(
      new Option('--retry <count>', 'how often to try again where the server cannot answer')
        .default(0)
        .argParser(parseCount),
    )
    .addOption(
      new Option('--readiness-timeout <duration>', 'how long to wait until it is ready')
        .default(120_000, '2m')
        .argParser(parseTimeout),
    )
    .addHelpText(
      'after',
      examples(
        ['vireo vmexport download web --vm=web --volume=disk --output=disk.img.gz', 'one disk'],
        ['vireo vmexport download web --vm=web --manifest', 'how to make it anew'],
      ),
    )
    .action(async (name: string, _, command) => {
      refuseTogether(command, SOURCES, ['keep-vme', 'delete-vme']);
      await (await import('../export/export.ts')).downloadExport(name, given(command));
    });
}

const SOURCES = ['vm', 'snapshot', 'pvc'];

const withSource = (command: Command): Command =>
  command
    .argument('<name>', 'name of the export')
    .option('--vm <name>', 'a machine')
    .option('--snapshot <name>', 'a snapshot of a machine')
    .option('--pvc <name>', 'a claim')
    .option('--ttl <duration>', 'how long the offer lasts, such as 2h')
    .addOption(new Option('--labels <labels>', 'labels of the offer: KEY=VALUE,…').argParser(parsePairs))
    .addOption(new Option('--annotations <annotations>', 'its annotations').argParser(parsePairs));

import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { given, parseTimeout } from '../connectionOptions.ts';
import { clusterCommand, parseCount, parsePairs, withForwarding } from '../declare.ts';
import { refuseTogether } from '../together.ts';

/** Disks and manifests of VMs, for download. */
export function exportCommands(program: Command): void {
  const parent = program
    .command('vmexport')
    .summary('download disks and manifests of VMs')
    .description('Exports disks and manifests of VMs, snapshots and claims, and downloads them.')
    .addHelpText('after', examples(['vireo vmexport download web --vm=web --output=web.img.gz', 'the disk of web']));

  withSource(clusterCommand(parent, 'create', 'create an export'))
    .description('Creates an export, from which the disks of a VM, a snapshot or a claim can be downloaded.')
    .addHelpText('after', examples(['vireo vmexport create offer --vm=web --ttl=2h', 'available for two hours']))
    .action(async (name: string, _, command) => {
      refuseTogether(command, SOURCES);
      await (await import('../export/export.ts')).createExport(name, given(command));
    });

  clusterCommand(parent, 'delete', 'delete an export')
    .description('Deletes an export. The exported disks are not affected.')
    .argument('<name>', 'name of the export')
    .addHelpText('after', examples(['vireo vmexport delete offer', 'delete it']))
    .action(async (name: string, _, command) =>
      (await import('../export/export.ts')).deleteExport(name, given(command)),
    );

  withForwarding(withSource(clusterCommand(parent, 'download', 'download a disk or manifests')))
    .description(
      'Downloads a disk or manifests. With --vm, --snapshot or --pvc, creates the export first and deletes it afterwards.',
    )
    .option('--volume <name>', 'volume to download, if there are several')
    .option('--output <file>', 'output file; - for standard output')
    .option('--format <format>', 'gzip, or raw to decompress it')
    .option('--insecure', 'accept any server certificate')
    .option('--keep-vme', 'keep the export after the download')
    .option('--delete-vme', 'delete the export even if it existed before')
    .option('--manifest', 'download manifests instead of a disk')
    .option('--manifest-output-format <format>', 'format of the manifests: json or yaml')
    .option('--include-secret', 'include the Secret that gives access to the disks in the manifests')
    .option('--service-url <host>', 'host and port to use instead of the export’s own')
    .addOption(
      new Option('--retry <count>', 'number of retries if the server is unavailable').default(0).argParser(parseCount),
    )
    .addOption(
      new Option('--readiness-timeout <duration>', 'how long to wait for the export to be ready')
        .default(120_000, '2m')
        .argParser(parseTimeout),
    )
    .addHelpText(
      'after',
      examples(
        ['vireo vmexport download web --vm=web --volume=disk --output=disk.img.gz', 'one disk'],
        ['vireo vmexport download web --vm=web --manifest', 'manifests to recreate it from'],
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
    .option('--vm <name>', 'VM to export')
    .option('--snapshot <name>', 'snapshot to export')
    .option('--pvc <name>', 'claim to export')
    .option('--ttl <duration>', 'lifetime of the export, such as 2h')
    .addOption(new Option('--labels <labels>', 'labels of the export: KEY=VALUE,…').argParser(parsePairs))
    .addOption(
      new Option('--annotations <annotations>', 'annotations of the export: KEY=VALUE,…').argParser(parsePairs),
    );

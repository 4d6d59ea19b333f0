import { type Command, Option } from 'commander';
import { examples } from '../../examples.ts';
import { parseRangePair } from '../../options.ts';
import { given, parseTimeout, withConnection } from '../vms/connectionOptions.ts';
import type { InstallCommandOptions } from './install.ts';
import type { UninstallOptions } from './uninstall.ts';

/** What `--print` writes: everything, or one of the two parts that kubectl applies one after the other. */
export const PARTS = ['all', 'crds', 'objects'] as const;

const timeoutOption = (): Option =>
  new Option('--timeout <duration>', 'how long to wait: 30s, 5m, 1h').default(300_000, '5m').argParser(parseTimeout);

/** `vireo install` and `vireo uninstall`, for an existing Kubernetes. */
export function addInstallCommands(program: Command): void {
  withConnection(program.command('install'))
    .summary('install Vireo on an existing Kubernetes')
    .description(
      'Installs what VMs need on the Kubernetes of the kubeconfig: CRDs, roles, Services, APIServices, webhook ' +
        'configurations, admission policies, storage classes, instance types and the KubeVirt object. It starts no ' +
        'process: run `vireo controllers`, `vireo extension` and `vireo node` afterwards. `vireo up` needs none of this.\n' +
        'It can be run again at any time. It refuses where KubeVirt, CDI or Harvester is installed.',
    )
    .addOption(
      new Option('--print [part]', 'print the manifests as YAML instead of applying them').choices(PARTS).preset('all'),
    )
    .option('--wait', 'return when controllers, extension and a node do their work')
    .addOption(timeoutOption())
    .option('--upgrade', 'replace another version of Vireo')
    .option('--use-emulation', 'run guests without KVM on nodes that lack it, which is much slower')
    .option('--no-use-emulation', 'run guests with KVM only (default: as it is; at first, with KVM only)')
    .addOption(
      new Option(
        '--cluster-cidr <ranges>',
        'IPv4 range of pods on this cluster, for nodes of VMs, and after a comma the IPv6 range if it has one',
      ).argParser(parseRangePair),
    )
    .addOption(
      new Option(
        '--service-cidr <ranges>',
        'IPv4 range of Services on this cluster, and after a comma the IPv6 range',
      ).argParser(parseRangePair),
    )
    .option('--cluster-domain <name>', 'DNS domain of Services, if it is not cluster.local')
    .option('--allow-old-server', 'accept Kubernetes 1.20 to 1.29, and list what they lack')
    .addHelpText(
      'after',
      examples(
        ['vireo install --kubeconfig ~/.kube/config', 'on the cluster of the current context'],
        ['vireo install --wait', 'and wait until the roles run'],
        ['vireo install --print > vireo.yaml', 'for GitOps'],
      ),
    )
    .action(async (_, command: Command) =>
      (await import('./install.ts')).install(given<InstallCommandOptions>(command)),
    );

  withConnection(program.command('uninstall'))
    .summary('remove Vireo from a Kubernetes')
    .description(
      'Removes what `vireo install` has installed. VMs, disks, settings and CRDs stay, unless --delete-data is ' +
        'given. It refuses while VMs run.',
    )
    .addOption(
      new Option('--delete-data', 'first delete VMs and disks, then also settings and CRDs').conflicts('force'),
    )
    .option('--force', 'uninstall although VMs are running; their guests keep running')
    .addOption(timeoutOption())
    .addHelpText(
      'after',
      examples(['vireo uninstall', 'keep VMs and disks'], ['vireo uninstall --delete-data', 'delete them']),
    )
    .action(async (_, command: Command) =>
      (await import('./uninstall.ts')).uninstall(given<UninstallOptions>(command)),
    );
}

import { type Command, Option } from 'commander';
import { examples } from '../examples.ts';
import { homeOption, logFormatOption, logLevelOption, metricsBindAddressOption, parsePeriod } from '../options.ts';
import { roleKubeconfigOption } from '../roles/options.ts';
import type { ControllersOptions } from './controllers.ts';

/** `vireo controllers`: the controllers of VMs as a process of their own. */
export function addControllersCommand(program: Command): void {
  program
    .command('controllers')
    .summary('run the controllers in a process of their own')
    .description(
      'Runs the controllers of VMs, replica sets, disks and snapshots against an API server, which may be that of an ' +
        'existing Kubernetes. Start two or more: one leads, by the Lease kubevirt/virt-controller, and another takes ' +
        'over if it ends. It acts as the service account kubevirt/kubevirt-controller: credentials that can create ' +
        'tokens for that account, such as an administrator’s, are used for nothing else.\n' +
        '`vireo up` runs the controllers itself and does not need this command.',
    )
    .addOption(roleKubeconfigOption())
    .addOption(homeOption())
    .option('--upload-url <address>', 'address that disks are uploaded to and exports are downloaded from')
    .addOption(
      periodOption(
        'lease-duration',
        15,
        'how long others wait before they take over from a leader that does not renew its lease',
      ),
    )
    .addOption(periodOption('renew-deadline', 10, 'how long a leader tries to renew its lease before it gives up'))
    .addOption(periodOption('retry-period', 2, 'how often the lease is renewed, and others try to get it'))
    .addOption(metricsBindAddressOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .addHelpText('after', examples(['vireo controllers --kubeconfig admin.conf', 'on an existing Kubernetes']))
    // Loaded here, so that the other commands start without its code.
    .action(async (options: ControllersOptions) => (await import('./controllers.ts')).controllers(options));
}

/** Called as kube-controller-manager calls them. */
const periodOption = (name: string, seconds: number, text: string): Option =>
  new Option(`--leader-elect-${name} <duration>`, text).default(seconds * 1000, `${seconds}s`).argParser(parsePeriod);

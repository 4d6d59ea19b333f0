import { Argument, Command, Option } from 'commander';
import { addBackupCommands } from './commands/backup/commands.ts';
import { completion, type Shell, shells } from './commands/completion/completion.ts';
import { addControllersCommand } from './commands/controllersCommand.ts';
import { addDashboardCommand } from './commands/dashboard/command.ts';
import { down } from './commands/down.ts';
import { addExtensionCommand } from './commands/extensionCommand.ts';
import { addHypervisorsCommand } from './commands/hypervisors/hypervisors.ts';
import { addImageCommand } from './commands/image.ts';
import { addInstallCommands } from './commands/install/command.ts';
import { kubeconfig } from './commands/kubeconfig.ts';
import { addLogsCommand } from './commands/logs.ts';
import { addNodeCommands } from './commands/node/commands.ts';
import { addOrphansCommand } from './commands/orphans/commands.ts';
import { status } from './commands/status.ts';
import { addSupportBundleCommand } from './commands/supportBundle/supportBundle.ts';
import { addTokenCommands } from './commands/token/commands.ts';
import { up } from './commands/up.ts';
import { printVersion } from './commands/version.ts';
import { addVmCommands } from './commands/vms/commands.ts';
import {
  acceptConnectionAnywhere,
  connectionOptions,
  given,
  withConnection,
} from './commands/vms/connectionOptions.ts';
import { addWaitCommand } from './commands/wait/wait.ts';
import { examples } from './examples.ts';
import {
  auditOptions,
  authenticationConfigOption,
  autoscalerSyncPeriodOption,
  dashboardConfigOption,
  drainTimeoutOption,
  extensionOption,
  extensionPortOption,
  homeOption,
  listenOption,
  logFormatOption,
  logLevelOption,
  metricResolutionOption,
  nodeNameOption,
  nodesOption,
  outputOption,
  portOption,
  rangeOptions,
  refuseImportsOption,
  simulateNodesOption,
} from './options.ts';
import { podNetworkOption } from './podNetwork.ts';
import { programName } from './programName.ts';
import { version } from './version.ts';

/** The `vireo` command: each subcommand's options and help here, what it does in `commands/`. */
export function buildProgram(): Command {
  const program = new Command(programName)
    .description('Virtual machines behind the Kubernetes API.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('Run the command with --help for usage.')
    .addHelpText(
      'after',
      examples(
        ['vireo up', 'start the server in the foreground'],
        ['export KUBECONFIG=$(vireo kubeconfig)', 'point kubectl at it'],
      ),
    );

  acceptConnectionAnywhere(program);

  const upCommand = program
    .command('up')
    .summary('start the server')
    .description(
      'Starts the Kubernetes API server, registers this host as a node that runs VMs, and stays in the foreground ' +
        'until Ctrl-C, SIGTERM or `vireo down`. A second signal ends it immediately; acknowledged writes are on disk ' +
        'either way. VMs keep running when the server stops, and the next `vireo up` resumes managing them; `vireo down` stops them.\n' +
        'With --detach, the server runs in the background, and the command returns when the server is ready.',
    )
    .addOption(homeOption())
    .addOption(portOption())
    .addOption(listenOption())
    .addOption(refuseImportsOption())
    .addOption(nodesOption())
    .addOption(simulateNodesOption())
    .addOption(extensionOption())
    .addOption(extensionPortOption())
    .addOption(nodeNameOption())
    .addOption(metricResolutionOption())
    .addOption(authenticationConfigOption())
    .addOption(dashboardConfigOption())
    .addOption(autoscalerSyncPeriodOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .option('-d, --detach', 'run the server in the background, and return when it is ready')
    .option('--api-only', 'serve only the Kubernetes API, without VMs; does not need libvirt or QEMU')
    .addHelpText(
      'after',
      examples(
        ['vireo up', 'with the default home and port'],
        ['vireo up --detach', 'in the background'],
        ['vireo up --home ./scratch --port 7443', 'run a second server'],
        ['vireo up --nodes 3', 'with two more nodes on this host'],
        ['vireo up --api-only', 'without VMs'],
      ),
    )
    .action(up);
  for (const option of [podNetworkOption(), ...rangeOptions(), ...auditOptions()]) upCommand.addOption(option);

  program
    .command('down')
    .summary('stop the server and its VMs')
    .description(
      'Stops the server, asks the guests to shut down, powers them off after their grace period, then stops ' +
        'libvirtd. Nothing is deleted: the next `vireo up` starts VMs with the run strategy Always or RerunOnFailure ' +
        'again. Also cleans up after a server that was killed. On a host that has joined a cluster, VMs whose eviction ' +
        'strategy is LiveMigrate or LiveMigrateIfPossible move to other nodes first, if they can.',
    )
    .addOption(homeOption())
    .option('--force', 'power the guests off immediately')
    .addOption(new Option('--keep-guests', 'stop only the server; guests keep running').conflicts('force'))
    .addOption(drainTimeoutOption())
    .addHelpText(
      'after',
      examples(
        ['vireo down', 'stop everything'],
        ['vireo down --keep-guests', 'before you upgrade Vireo'],
        ['vireo down --home ./scratch', 'stop the server of another home'],
      ),
    )
    .action(down);

  program
    .command('status')
    .summary('show the status of the server')
    .description(
      'Shows whether a server is running on the home and is ready, and the status of its node and VMs, of controllers, ' +
        'extensions and nodes in processes of their own, and of certificates.\n' +
        'The exit code is 0 if the server is ready, 1 otherwise.',
    )
    .addOption(homeOption())
    .option('--kubeconfig <file>', 'show the installation on the cluster of this kubeconfig instead')
    .addOption(outputOption())
    .addHelpText(
      'after',
      examples(
        ['vireo status', 'as text'],
        ['vireo status -o json', 'as JSON'],
        ['vireo status --kubeconfig admin.conf', 'Vireo on an existing Kubernetes'],
      ),
    )
    .action(status);

  program
    .command('kubeconfig')
    .summary('print the path of the kubeconfig')
    .description('Prints the path of the kubeconfig that `vireo up` writes. It contains administrator credentials.')
    .addOption(homeOption())
    .addHelpText('after', examples(['export KUBECONFIG=$(vireo kubeconfig)', 'point kubectl at this server']))
    .action(kubeconfig);

  addControllersCommand(program);
  addNodeCommands(program);
  addTokenCommands(program);
  addExtensionCommand(program);
  addInstallCommands(program);
  addLogsCommand(program);
  addWaitCommand(program);
  addHypervisorsCommand(program);
  addImageCommand(program);
  addBackupCommands(program);
  addOrphansCommand(program);
  addSupportBundleCommand(program);
  addDashboardCommand(program);
  addVmCommands(program);

  withConnection(program.command('version'))
    .summary('print the client and server versions')
    .description('Prints the versions of Vireo, Node.js and the server.')
    .option('-c, --client', 'print only the client version')
    .addOption(outputOption())
    .addHelpText('after', examples(['vireo version -c', 'client version only'], ['vireo version -o json', 'as JSON']))
    .action((_, command) => printVersion(given(command)));

  program
    .command('completion')
    .summary('print a shell completion script')
    .description(
      'Prints a script that completes commands, options and names of VMs in your shell. kubectl itself completes ' +
        '`kubectl virt` if kubectl_complete-virt, from the same directory, is on the PATH.',
    )
    .addArgument(new Argument('<shell>', 'shell to print the script for').choices(shells))
    .addHelpText(
      'after',
      examples(
        ['source <(vireo completion bash)', 'in this shell'],
        ['vireo completion bash > /etc/bash_completion.d/vireo', 'for every user'],
        ['vireo completion zsh > "$fpath[1]/_vireo"', 'zsh'],
        ['vireo completion fish > ~/.config/fish/completions/vireo.fish', 'fish'],
        ['vireo completion powershell | Out-String | Invoke-Expression', 'PowerShell'],
      ),
    )
    .action((shell: Shell) => completion(shell, programName));

  program
    .command('options')
    .summary('list the global options')
    .description('Lists the options that all VM commands accept.')
    .addHelpText('after', examples(['vireo options', 'list them']))
    .action(() => console.log(globalOptions()));

  return program;
}

function globalOptions(): string {
  const options = connectionOptions();
  const width = Math.max(...options.map(({ flags }) => flags.length));
  const lines = options.map(
    ({ flags, short, description }) => `  ${(short ? '' : '    ') + flags}`.padEnd(width + 8) + description,
  );
  return ['The following options can be passed to any VM command:', '', ...lines].join('\n');
}

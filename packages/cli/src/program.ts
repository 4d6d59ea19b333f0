import { Argument, Command, Option } from 'commander';
import { completion, type Shell, shells } from './commands/completion/completion.ts';
import { down } from './commands/down.ts';
import { addHypervisorsCommand } from './commands/hypervisors/hypervisors.ts';
import { addImageCommand } from './commands/image.ts';
import { kubeconfig } from './commands/kubeconfig.ts';
import { addMachineCommands } from './commands/machines/commands.ts';
import {
  acceptConnectionAnywhere,
  connectionOptions,
  given,
  withConnection,
} from './commands/machines/connectionOptions.ts';
import { status } from './commands/status.ts';
import { addSupportBundleCommand } from './commands/supportBundle/supportBundle.ts';
import { up } from './commands/up.ts';
import { printVersion } from './commands/version.ts';
import { examples } from './examples.ts';
import {
  extensionPortOption,
  homeOption,
  listenOption,
  logFormatOption,
  logLevelOption,
  nodeNameOption,
  outputOption,
  portOption,
  refuseImportsOption,
  simulateNodesOption,
} from './options.ts';
import { programName } from './programName.ts';
import { version } from './version.ts';

/** The `vireo` command: each subcommand's options and help here, what it does in `commands/`. */
export function buildProgram(): Command {
  const program = new Command(programName)
    .description('Virtual machines behind the Kubernetes API.')
    .version(version, '-V, --version', 'print the version')
    .helpOption('-h, --help', 'print help')
    .helpCommand('help [command]', 'print help for a command')
    .showHelpAfterError('Run the command with --help to see what it takes.')
    .addHelpText(
      'after',
      examples(
        ['vireo up', 'start the server and stay'],
        ['export KUBECONFIG=$(vireo kubeconfig)', 'let kubectl use it'],
      ),
    );

  acceptConnectionAnywhere(program);

  program
    .command('up')
    .summary('start the server and stay in the foreground')
    .description(
      'Starts the Kubernetes API server, makes this host a node that runs virtual machines, and stays in the ' +
        'foreground until Ctrl-C, SIGTERM or `vireo down`. A second signal ends it at once; what was acknowledged is ' +
        'on disk either way. Machines go on when it ends, and the next `vireo up` finds them; `vireo down` stops them.',
    )
    .addOption(homeOption())
    .addOption(portOption())
    .addOption(listenOption())
    .addOption(refuseImportsOption())
    .addOption(simulateNodesOption())
    .addOption(extensionPortOption())
    .addOption(nodeNameOption())
    .addOption(logFormatOption())
    .addOption(logLevelOption())
    .option('--api-only', 'serve the Kubernetes API alone: no machines, no need of libvirt and QEMU')
    .addHelpText(
      'after',
      examples(
        ['vireo up', 'on the default home and port'],
        ['vireo up --home ./scratch --port 7443', 'a second server beside the first'],
        ['vireo up --api-only', 'only the Kubernetes API'],
      ),
    )
    .action(up);

  program
    .command('down')
    .summary('stop the machines and the server of a home')
    .description(
      'Shuts down as a host does: the server ends, the guests are asked to shut down and are switched off when their ' +
        'grace period is over, then libvirtd ends. Nothing is deleted; machines that are to run always are started by ' +
        'the next `vireo up`. Also ends what a server that was killed left behind.',
    )
    .addOption(homeOption())
    .option('--force', 'switch the guests off at once')
    .addOption(new Option('--keep-guests', 'end the server alone; guests go on').conflicts('force'))
    .addHelpText(
      'after',
      examples(
        ['vireo down', 'stop everything'],
        ['vireo down --keep-guests', 'before an update of Vireo'],
        ['vireo down --home ./scratch', 'another home’s'],
      ),
    )
    .action(down);

  program
    .command('status')
    .summary('tell whether a server runs, and how it is')
    .description(
      'Tells whether a server runs on the home and is ready, how its node and its machines are, and what else runs.\n' +
        'The exit code is 0 when the server is ready, 1 when not.',
    )
    .addOption(homeOption())
    .addOption(outputOption())
    .addHelpText('after', examples(['vireo status', 'for people'], ['vireo status -o json', 'for programs']))
    .action(status);

  program
    .command('kubeconfig')
    .summary('print the path of the kubeconfig')
    .description('Prints the path of the kubeconfig that `vireo up` writes, with an administrator’s credentials.')
    .addOption(homeOption())
    .addHelpText('after', examples(['export KUBECONFIG=$(vireo kubeconfig)', 'let kubectl use this server']))
    .action(kubeconfig);

  addHypervisorsCommand(program);
  addImageCommand(program);
  addSupportBundleCommand(program);
  addMachineCommands(program);

  withConnection(program.command('version'))
    .summary('print the versions of this program and of the server')
    .description('Prints the versions of Vireo, of the Node that runs it, and of the server.')
    .option('-c, --client', 'do not ask the server')
    .addOption(outputOption())
    .addHelpText('after', examples(['vireo version -c', 'this program’s'], ['vireo version -o json', 'for programs']))
    .action((_, command) => printVersion(given(command)));

  program
    .command('completion')
    .summary('print a script that completes commands in a shell')
    .description(
      'Prints a script that makes the shell complete commands, options and the names of machines. As a plug-in, ' +
        '`kubectl virt` is completed by kubectl itself, with kubectl_complete-virt from the same directory on the PATH.',
    )
    .addArgument(new Argument('<shell>', 'which shell').choices(shells))
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
    .summary('list the options that all commands on machines have')
    .description('Lists the options that all commands on machines have.')
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
  return ['The following options can be passed to any command on machines:', '', ...lines].join('\n');
}

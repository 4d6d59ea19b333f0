import { type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { Failure } from '../../../failure.ts';
import { programName } from '../../../programName.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, dryRunOption, parseSeconds, repeated } from '../declare.ts';

/** What people do every day, by the words of Incus and Multipass. */
export function everydayCommands(program: Command): void {
  listCommand(program);
  infoCommand(program);
  execCommand(program);
  shellCommand(program);
  copyCommand(program);
  deleteCommand(program);
}

function listCommand(program: Command): void {
  clusterCommand(program, 'list', 'list VMs')
    .alias('ls')
    .description('Lists the VMs in a namespace, and VMIs without a VM, with their state, address, image and size.')
    .option('-A, --all-namespaces', 'list VMs in all namespaces')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['wide', 'json', 'yaml', 'name']))
    .option('-w, --watch', 'after listing VMs, print changes until Ctrl-C')
    .addHelpText(
      'after',
      examples(
        ['vireo list', 'VMs in the current namespace'],
        ['vireo list -A -o wide', 'VMs in all namespaces, with node, age and guest OS'],
        ['vireo list -o json', 'as JSON'],
        ['vireo list --watch', 'and watch for changes'],
      ),
    )
    .action(async (_, command) => (await import('../list/list.ts')).list(given(command)));
}

function infoCommand(program: Command): void {
  clusterCommand(program, 'info', 'show details of a VM')
    .description(
      'Shows the state of a VM and the reason for it, its addresses, disks, snapshots and recent events, and how to log in.',
    )
    .argument('<vm>', 'name of the VM')
    .addOption(new Option('-o, --output <format>', 'output format').choices(['json', 'yaml']))
    .addHelpText('after', examples(['vireo info web', 'as text'], ['vireo info web -o json', 'as JSON']))
    .action(async (vm: string, _, command) => (await import('../info/info.ts')).info(vm, given(command)));
}

/** The options of commands that may go by ssh. */
const withLogin = (command: Command): Command =>
  command
    .option('-l, --username <name>', 'user to log in as over ssh (default: the user from the VM’s cloud-init data)')
    .option('-i, --identity-file <file>', 'private key for ssh (default: the key in ~/.ssh that the VM accepts)');

const viaOption = (): Option =>
  new Option('--via <way>', 'use only the guest agent, or only ssh').choices(['agent', 'ssh']);

function execCommand(program: Command): void {
  withLogin(
    clusterCommand(program, 'exec', 'run a command in a VM')
      .description(
        'Runs a command in the guest: as root through the guest agent, or over ssh if there is no agent. Exits with ' +
          'the exit code of the command. No shell interprets the command: use sh -c for pipes and variables. Piped ' +
          'input becomes its standard input. The output, up to 3 MiB, is printed when the command exits.',
      )
      .argument('<vm>', 'name of the VM')
      .argument('<command...>', 'command to run, after --'),
  )
    .addOption(repeated('-e, --env <name=value>', 'environment variable for the command; can be repeated'))
    .addOption(
      new Option(
        '--timeout <seconds>',
        'seconds to wait for the command; after that, it keeps running in the guest',
      ).argParser(parseSeconds),
    )
    .addOption(viaOption())
    .option('--no-stdin', 'do not pass standard input')
    .configureOutput({ outputError: (text, write) => write(`${text}${separatorHint(text)}`) })
    .addHelpText(
      'after',
      examples(
        ['vireo exec web -- uname -a', 'run a command'],
        ["vireo exec web -- sh -c 'df -h | tail -1'", 'use a pipe in the guest'],
        ['cat site.conf | vireo exec web -- tee /etc/site.conf', 'pass standard input'],
        ['vireo exec web --timeout 60 -- apt-get update', 'wait at most one minute'],
      ),
    )
    .action(async (vm: string, words: string[], _, command) => {
      const options = given<Parameters<typeof import('../exec/exec.ts')['exec']>[2]>(command);
      for (const each of options.env ?? [])
        if (!/^[^=]+=/.test(each)) command.error(`error: --env ${each} is not NAME=VALUE`);
      await (await import('../exec/exec.ts')).exec(vm, words, options);
    });
}

/** What was most likely meant where the command's own words were read as options, or none were there. */
const separatorHint = (error: string): string =>
  /unknown option|missing required argument 'command'/.test(error)
    ? `Put -- before the command: ${programName} exec web -- ls -l\n`
    : '';

const SHELL_SECONDS = 60;

function shellCommand(program: Command): void {
  withLogin(
    clusterCommand(program, 'shell', 'open a shell in a VM')
      .description(
        'Logs in to a VM over ssh, with the user and the key that the VM was launched with. If this host does not ' +
          'have the key, or ssh does not respond, connects to the serial console instead.',
      )
      .argument('<vm>', '[USER@]NAME'),
  )
    .option('--console', 'connect to the serial console')
    .addOption(
      new Option('--timeout <seconds>', 'seconds to wait for ssh while the VM boots')
        .default(SHELL_SECONDS)
        .argParser(parseSeconds),
    )
    .addHelpText(
      'after',
      examples(
        ['vireo shell web', 'log in'],
        ['vireo shell root@web', 'as another user'],
        ['vireo shell web --console', 'on the serial console'],
      ),
    )
    .action(async (target: string, _, command) => {
      const [, user, vm] = /^(?:([^@]*)@)?(.*)$/s.exec(target) ?? [];
      if (user === '' || user?.startsWith('-') || !vm) throw new Failure(`${target} is not [USER@]NAME`);
      await (await import('../shell/shell.ts')).shell(user, vm, given(command));
    });
}

function copyCommand(program: Command): void {
  withLogin(
    clusterCommand(program, 'copy', 'copy a file to or from a VM')
      .description(
        'Copies a file between this host and a VM. Either the source or the destination is [USER@]NAME:PATH. Uses scp if ' +
          'ssh works, otherwise the guest agent, which needs an absolute path and writes files as root.',
      )
      .argument('<source>', 'what to copy')
      .argument('<destination>', 'where to copy it'),
  )
    .option('-r, --recursive', 'copy directories recursively; needs ssh')
    .addOption(viaOption())
    .addHelpText(
      'after',
      examples(
        ['vireo copy site.tar web:/tmp/', 'to a directory in the VM'],
        ['vireo copy web:/etc/os-release .', 'from the VM'],
        ['vireo copy -r site web:', 'copy a directory to the user’s home'],
      ),
    )
    .action(async (source: string, destination: string, _, command) =>
      (await import('../copy/copy.ts')).copy(source, destination, given(command)),
    );
}

const DELETE_SECONDS = 300;

function deleteCommand(program: Command): void {
  clusterCommand(program, 'delete', 'delete VMs')
    .description(
      'Shuts down VMs, deletes them and waits until they are gone. Claims that were created for a VM are deleted with ' +
        'it; other claims and snapshots are kept. Prints which are deleted and which are kept.',
    )
    .argument('<vm...>', 'names of the VMs')
    .option('--force', 'power the guests off immediately')
    .addOption(new Option('--wait', 'wait until they are gone').default(true).hideHelp())
    .option('--no-wait', 'return without waiting until they are gone')
    .addOption(
      new Option('--timeout <seconds>', 'seconds to wait, or a duration such as 5m')
        .default(DELETE_SECONDS)
        .argParser(parseSeconds),
    )
    .addOption(dryRunOption())
    .addHelpText(
      'after',
      examples(
        ['vireo delete web', 'shut it down and delete it'],
        ['vireo delete web db --force', 'power both off and delete them'],
        ['vireo delete web --dry-run', 'show what would be deleted'],
      ),
    )
    .action(async (names: string[], _, command) =>
      (await import('../delete/delete.ts')).deleteVms(names, given(command)),
    );
}

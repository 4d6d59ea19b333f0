import { type Command, Option } from 'commander';
import { examples } from '../../examples.ts';
import { Failure } from '../../failure.ts';
import { homeOption } from '../../options.ts';
import { type ConnectionOptions, given, parseTimeout, withConnection } from '../vms/connectionOptions.ts';
import { GOALS, type Goal } from './goals.ts';

/** `vireo wait`: for scripts that go on when the server or a VM has come so far. */
export function addWaitCommand(program: Command): void {
  withConnection(program.command('wait'))
    .summary('wait until the server is ready, or until a VM reaches a state')
    .description(
      'Without a name, waits until the home’s server is ready. With the name of a VM, waits until the VM\n' +
        '  running  is running\n' +
        '  agent    has a connected guest agent\n' +
        '  address  has an IP address\n' +
        '  ssh      accepts ssh connections on port 22\n' +
        '  stopped  is stopped\n' +
        '  deleted  is deleted\n' +
        'The exit code is 0 on success, 124 after a timeout, and 1 if the VM cannot reach the state.',
    )
    .argument('[vm]', 'name of the VM; omit it to wait for the server')
    .addOption(new Option('--for <state>', 'state to wait for (default: running)').choices(Object.keys(GOALS)))
    .addOption(
      new Option('--timeout <duration>', 'how long to wait: 30s, 5m, 1h; 0 means forever')
        .default(300_000, '5m')
        .argParser(parseTimeout),
    )
    .addOption(homeOption())
    .addHelpText(
      'after',
      examples(
        ['vireo wait --timeout 1m', 'until the server is ready'],
        ['vireo wait web --for=agent', 'until the guest has booted'],
        ['vireo wait web --for=stopped --timeout 1m', 'until the VM is stopped'],
      ),
    )
    .action((vm: string | undefined, _, command: Command) => wait(vm, given(command), command));
}

interface WaitOptions extends ConnectionOptions {
  readonly for?: Goal;
  readonly timeout: number;
  readonly home: string;
}

async function wait(vm: string | undefined, options: WaitOptions, command: Command): Promise<void> {
  const { for: goal = 'running', timeout: timeoutMs, home } = options;
  if (vm !== undefined) {
    if (command.getOptionValueSource('home') === 'cli')
      throw new Failure('--home cannot be combined with the name of a VM', 'Set VIREO_HOME instead.');
    return (await import('./vm.ts')).waitForVm(vm, goal, timeoutMs, options);
  }
  if (options.for !== undefined)
    throw new Failure(
      `--for=${options.for} needs the name of a VM`,
      'For example: vireo wait web --for=running. To wait for the server, omit the name and --for.',
    );
  return (await import('./server.ts')).waitForServer(home, timeoutMs);
}

import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { examples } from '../../examples.ts';
import { withConnection } from './connectionOptions.ts';
import { type ForwardedPort, type ForwardTarget, parseForward, parseTarget } from './forwardArguments.ts';
import { parseType } from './types.ts';

/** The commands on machines, with virtctl's names and flags. What they do is loaded when one is run. */
export function addMachineCommands(program: Command): void {
  lifecycleCommands(program);
  instanceCommands(program);
  consoleCommand(program);
  screenCommands(program);
  portForwardCommand(program);
  guestCommands(program);
}

function lifecycleCommands(program: Command): void {
  machineCommand(program, 'start', 'start a virtual machine')
    .description('Starts a virtual machine that is stopped.')
    .argument('<vm>', 'name of the machine')
    .option('--paused', 'start it paused; `vireo unpause` lets it go on')
    .addOption(dryRunOption())
    .addHelpText('after', examples(['vireo start web', 'start it'], ['vireo start web --paused', 'hold it at boot']))
    .action(async (vm: string, _, command) => (await import('./lifecycle.ts')).start(vm, command.optsWithGlobals()));

  const stop = machineCommand(program, 'stop', 'stop a virtual machine')
    .description('Stops a virtual machine: its guest is asked to shut down, and ended after its grace period.')
    .addHelpText(
      'after',
      examples(['vireo stop web', 'shut it down'], ['vireo stop web --force --grace-period 0', 'end it at once']),
    )
    .action(async (vm: string, _, command) => (await import('./lifecycle.ts')).stop(vm, command.optsWithGlobals()));
  const restart = machineCommand(program, 'restart', 'restart a virtual machine')
    .description('Stops a virtual machine and starts it again, with what was changed in its template.')
    .addHelpText(
      'after',
      examples(['vireo restart web', 'shut down and start'], ['vireo restart web --force --grace-period 0', 'at once']),
    )
    .action(async (vm: string, _, command) => (await import('./lifecycle.ts')).restart(vm, command.optsWithGlobals()));
  for (const command of [stop, restart]) {
    command
      .argument('<vm>', 'name of the machine')
      .option('--force', 'do not wait for the guest; needs --grace-period')
      .addOption(
        new Option('--grace-period <seconds>', 'how long the guest may take, with --force').argParser(parseSeconds),
      )
      .addOption(dryRunOption());
  }
}

function instanceCommands(program: Command): void {
  for (const [name, summary, description] of [
    ['pause', 'pause a virtual machine', 'Freezes a virtual machine; its state stays in memory.'],
    ['unpause', 'let a paused virtual machine go on', 'Lets a paused virtual machine go on.'],
  ] as const) {
    machineCommand(program, name, summary)
      .description(description)
      .addArgument(typeArgument())
      .argument('<name>', 'its name')
      .addOption(dryRunOption())
      .addHelpText('after', examples([`vireo ${name} vm web`, 'the machine web']))
      .action(async (type: 'vm' | 'vmi', vmi: string, _, command) =>
        (await import('./pause.ts')).pauseOrUnpause(name, type, vmi, command.optsWithGlobals()),
      );
  }
  for (const [name, summary, description] of [
    ['soft-reboot', 'ask a guest to reboot', 'Asks the guest to reboot, through its agent or by ACPI.'],
    ['reset', 'reset a virtual machine', 'Resets a virtual machine at once, as the button on a case does.'],
  ] as const) {
    machineCommand(program, name, summary)
      .description(description)
      .argument('<vmi>', 'name of the instance')
      .addHelpText('after', examples([`vireo ${name} web`, 'the machine web']))
      .action(async (vmi: string, _, command) =>
        (await import('./instance.ts')).reboot(name, vmi, command.optsWithGlobals()),
      );
  }
}

function consoleCommand(program: Command): void {
  machineCommand(program, 'console', 'connect to the serial console of a virtual machine')
    .description(
      'Connects to the serial console of a virtual machine; Ctrl-] leaves it. A machine that is just starting is waited for.\n' +
        'Without a terminal, standard input is typed and what the guest prints goes to standard output, until the input ends.',
    )
    .argument('<vmi>', 'name of the instance')
    .addOption(
      new Option('--timeout <minutes>', 'how long to wait until the machine runs').default(5).argParser(parseMinutes),
    )
    .addHelpText(
      'after',
      examples(['vireo console web', 'leave with Ctrl-]'], ['vireo console web --timeout 1', 'wait a minute at most']),
    )
    .action(async (vmi: string, _, command) =>
      (await import('./console.ts')).serialConsole(vmi, command.optsWithGlobals()),
    );
}

function screenCommands(program: Command): void {
  const vnc = program
    .command('vnc')
    .summary('see the screen of a virtual machine')
    .description('What the screen of a virtual machine shows.')
    .addHelpText('after', examples(['vireo vnc screenshot web -f web.png', 'take a picture']));
  machineCommand(vnc, 'screenshot', 'take a picture of the screen')
    .description('Writes what the screen of a virtual machine shows, as PNG.')
    .argument('<vmi>', 'name of the instance')
    .requiredOption('-f, --file <file>', 'where to write the picture; - for standard output')
    .option('-m, --move-cursor', 'move the pointer first, to wake the screen up')
    .addHelpText('after', examples(['vireo vnc screenshot web -f web.png', 'take a picture']))
    .action(async (vmi: string, _, command) =>
      (await import('./screenshot.ts')).screenshot(vmi, command.optsWithGlobals()),
    );
}

function portForwardCommand(program: Command): void {
  machineCommand(program, 'port-forward', 'forward ports of this host to a virtual machine')
    .description('Forwards TCP ports of this host to ports of a virtual machine, until Ctrl-C.')
    .addArgument(new Argument('<target>', 'TYPE/NAME[/NAMESPACE], TYPE being vm or vmi').argParser(parseTarget))
    .addArgument(new Argument('<ports...>', '[tcp/]LOCAL[:REMOTE]').argParser(parseForward))
    .option('--address <address>', 'address of this host to listen on', '127.0.0.1')
    .option('--stdio', 'forward standard input and output instead of a port, as ssh’s ProxyCommand wants it')
    .addHelpText(
      'after',
      examples(
        ['vireo port-forward vm/web 8080:80', 'localhost:8080 leads to port 80 of the guest'],
        ["ssh -o 'ProxyCommand=vireo port-forward --stdio vmi/web 22' me@web", 'ssh through the API'],
      ),
    )
    .action(async (target: ForwardTarget, ports: ForwardedPort[], _, command) =>
      (await import('./portForward.ts')).portForward(target, ports, command.optsWithGlobals()),
    );
}

function guestCommands(program: Command): void {
  for (const [name, summary] of [
    ['guestosinfo', 'print which system a guest runs'],
    ['userlist', 'print who is logged in to a guest'],
    ['fslist', 'print the file systems of a guest'],
  ] as const) {
    machineCommand(program, name, summary)
      .description(`${summary[0]?.toUpperCase()}${summary.slice(1)}, as JSON. The agent in the guest tells it.`)
      .argument('<vmi>', 'name of the instance')
      .addHelpText('after', examples([`vireo ${name} web`, 'of the machine web']))
      .action(async (vmi: string, _, command) =>
        (await import('./instance.ts')).guestInfo(name, vmi, command.optsWithGlobals()),
      );
  }
}

const machineCommand = (parent: Command, name: string, summary: string): Command =>
  withConnection(parent.command(name).summary(summary));

/** The shell offers the short names; the others are taken as well. */
const typeArgument = (): Argument =>
  new Argument('<type>', 'what is named: a machine or an instance').choices(['vm', 'vmi']).argParser(parseType);

const dryRunOption = (): Option => new Option('--dry-run', 'have it checked, but change nothing');

export function parseSeconds(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.');
  return Number(text);
}

export function parseMinutes(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a number of minutes.');
  return Number(text);
}

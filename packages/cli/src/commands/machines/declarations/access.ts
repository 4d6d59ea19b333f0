import { homedir } from 'node:os';
import { join } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { parsePort } from '../../../options.ts';
import { programName } from '../../../programName.ts';
import { given } from '../connectionOptions.ts';
import { machineCommand, parseMinutes, repeated } from '../declare.ts';
import { type ForwardedPort, type MachineTarget, parseForward, parseTarget } from '../forwardArguments.ts';
import { parseSshTarget, type SshTarget } from '../ssh/target.ts';

/** The ways to a guest: console, screen, ports, ssh. */
export function accessCommands(program: Command): void {
  consoleCommand(program);
  screenCommands(program);
  portForwardCommand(program);
  sshCommands(program);
  usbCommand(program);
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
    .action(async (vmi: string, _, command) => (await import('../console.ts')).serialConsole(vmi, given(command)));
}

function screenCommands(program: Command): void {
  const vnc = machineCommand(program, 'vnc', 'see the screen of a virtual machine')
    .description(
      'Shows the screen of a virtual machine in a VNC viewer of this host: remote-viewer, or one of the vncviewers.\n' +
        'With --proxy-only no viewer is started; the port to connect one to is printed.',
    )
    .argument('<vmi>', 'name of the instance')
    .option('--address <address>', 'address of this host that the viewer connects to', '127.0.0.1')
    .addOption(
      new Option('--port <number>', 'port that the viewer connects to; 0 takes a free one')
        .default(0)
        .argParser(parsePort),
    )
    .option('--proxy-only', 'start no viewer; print the port as JSON')
    .option('--preserve-session', 'fail rather than end the session of somebody who looks already')
    .addOption(
      new Option('--vnc-type <type>', 'kind of the viewer').choices(['remote-viewer', 'tiger', 'real', 'chicken']),
    )
    .option('--vnc-path <file>', 'the viewer to start, of the kind of --vnc-type')
    .helpCommand(false)
    .addHelpText(
      'after',
      examples(
        ['vireo vnc web', 'in a viewer'],
        ['vireo vnc web --proxy-only --port 5901', 'for a viewer of your own'],
        ['vireo vnc screenshot web -f web.png', 'take a picture'],
      ),
    )
    .action(async (vmi: string, _, command) => (await import('../vnc/vnc.ts')).vnc(vmi, given(command)));
  machineCommand(vnc, 'screenshot', 'take a picture of the screen')
    .description('Writes what the screen of a virtual machine shows, as PNG.')
    .argument('<vmi>', 'name of the instance')
    .requiredOption('-f, --file <file>', 'where to write the picture; - for standard output')
    .option('-m, --move-cursor', 'move the pointer first, to wake the screen up')
    .addHelpText('after', examples(['vireo vnc screenshot web -f web.png', 'take a picture']))
    .action(async (vmi: string, _, command) => (await import('../screenshot.ts')).screenshot(vmi, given(command)));
}

function portForwardCommand(program: Command): void {
  machineCommand(program, 'port-forward', 'forward ports of this host to a virtual machine')
    .description('Forwards TCP and UDP ports of this host to ports of a virtual machine, until Ctrl-C.')
    .addArgument(new Argument('<target>', 'TYPE/NAME[/NAMESPACE], TYPE being vm or vmi').argParser(parseTarget))
    .addArgument(new Argument('<ports...>', '[tcp|udp/]LOCAL[:REMOTE]').argParser(parseForward))
    .option('--address <address>', 'address of this host to listen on', '127.0.0.1')
    .option('--stdio', 'forward standard input and output instead of a port, as ssh’s ProxyCommand wants it')
    .addHelpText(
      'after',
      examples(
        ['vireo port-forward vm/web 8080:80', 'localhost:8080 leads to port 80 of the guest'],
        ['vireo port-forward vmi/dns/lab udp/5353:53 5353:53', 'both protocols, of a machine in namespace lab'],
        ["ssh -o 'ProxyCommand=vireo port-forward --stdio vmi/web 22' me@web", 'ssh through the API'],
      ),
    )
    .action(async (target: MachineTarget, ports: ForwardedPort[], _, command) =>
      (await import('../portForward.ts')).portForward(target, ports, given(command)),
    );
}

/** The options of ssh and scp alike. */
function sshOptions(command: Command): Command {
  return command
    .option('-l, --username <name>', 'user to log in as (default: this user’s name)')
    .addOption(
      new Option('-p, --port <number>', 'port of the guest that ssh listens on').default(22).argParser(parsePort),
    )
    .option('-i, --identity-file <file>', 'private key to log in with')
    .option(
      '--known-hosts <file>',
      'where the keys of guests are remembered',
      join(homedir(), '.ssh', 'kubevirt_known_hosts'),
    )
    .addOption(
      repeated(
        '-t, --local-ssh-opts <option>',
        'option for the ssh program, such as "-o Compression=yes"; can be given several times',
      ),
    )
    .addOption(new Option('--local-ssh', 'use the ssh program of this host: always so').hideHelp());
}

function sshCommands(program: Command): void {
  sshOptions(
    machineCommand(program, 'ssh', 'log in to a virtual machine')
      .description(
        `Runs this host’s ssh through \`${programName} port-forward\`; the machine needs no address that can be reached.`,
      )
      .addArgument(new Argument('<target>', '[USER@]vm|vmi/NAME[/NAMESPACE]').argParser(parseSshTarget))
      .option('-c, --command <command>', 'run this in the guest instead of a shell'),
  )
    .addHelpText(
      'after',
      examples(
        ['vireo ssh vireo@vm/web', 'log in as vireo'],
        ['vireo ssh vireo@vm/web/lab -i ~/.ssh/id_ed25519', 'in namespace lab, with this key'],
        ["vireo ssh vireo@vmi/web -c 'uname -a'", 'run one command'],
      ),
    )
    .action(async (target: SshTarget, _, command) => (await import('../ssh/ssh.ts')).ssh(target, given(command)));

  sshOptions(
    machineCommand(program, 'scp', 'copy files from and to a virtual machine')
      .description(
        'Copies files with this host’s scp. One of the two is in the guest: [USER@]vm|vmi/NAME[/NAMESPACE]:PATH',
      )
      .argument('<source>', 'what to copy')
      .argument('<destination>', 'where to')
      .option('-r, --recursive', 'copy directories with what is in them')
      .option('--preserve', 'keep times and modes'),
  )
    .addHelpText(
      'after',
      examples(
        ['vireo scp site.tar vireo@vm/web:', 'to the home of vireo'],
        ['vireo scp -r vireo@vm/web:/var/log .', 'from the guest'],
      ),
    )
    .action(async (source: string, destination: string, _, command) =>
      (await import('../ssh/scp.ts')).scp(source, destination, given(command)),
    );
}

function usbCommand(program: Command): void {
  machineCommand(program, 'usbredir', 'give a USB device of this host to a virtual machine')
    .description(
      'Carries a USB device of this host to a virtual machine that has client passthrough, until Ctrl-C.\n' +
        'The program usbredirect does the work here; with --no-launch, the port to connect it to is printed.',
    )
    .argument('[device]', 'vendor:product or bus-device, as lsusb shows it; not with --no-launch')
    .argument('[vmi]', 'name of the instance')
    .option('--no-launch', 'do not start usbredirect; print the port to connect it to')
    .addHelpText(
      'after',
      examples(
        ['vireo usbredir 0951:1666 web', 'by vendor and product'],
        ['vireo usbredir --no-launch web', 'start usbredirect yourself'],
      ),
    )
    .action(async (first: string | undefined, second: string | undefined, _, command) =>
      (await import('../usbredir.ts')).usbRedirect(first, second, given(command)),
    );
}

import { homedir } from 'node:os';
import { join } from 'node:path';
import { Argument, type Command, Option } from 'commander';
import { examples } from '../../../examples.ts';
import { parsePort } from '../../../options.ts';
import { programName } from '../../../programName.ts';
import { given } from '../connectionOptions.ts';
import { clusterCommand, parseMinutes, repeated } from '../declare.ts';
import { type ForwardedPort, parseForward, parseGuestPort, parseTarget, type VmTarget } from '../forwardArguments.ts';
import { parseSshTarget, type SshTarget } from '../ssh/target.ts';

/** The ways to a guest: console, screen, ports, ssh. */
export function accessCommands(program: Command): void {
  consoleCommand(program);
  screenCommands(program);
  portForwardCommand(program);
  vsockCommand(program);
  sshCommands(program);
  usbCommand(program);
}

function consoleCommand(program: Command): void {
  clusterCommand(program, 'console', 'connect to the serial console of a VM')
    .description(
      'Connects to the serial console of a VM. If the VM is still starting, waits for it. Press Ctrl-] to exit.\n' +
        'Without a terminal, sends standard input to the console and prints its output until the input ends.',
    )
    .argument('<vmi>', 'name of the VMI')
    .addOption(
      new Option('--timeout <minutes>', 'minutes to wait for the VM to run').default(5).argParser(parseMinutes),
    )
    .addHelpText(
      'after',
      examples(
        ['vireo console web', 'press Ctrl-] to exit'],
        ['vireo console web --timeout 1', 'wait at most one minute'],
      ),
    )
    .action(async (vmi: string, _, command) => (await import('../console.ts')).serialConsole(vmi, given(command)));
}

function screenCommands(program: Command): void {
  const vnc = clusterCommand(program, 'vnc', 'open the VNC screen of a VM')
    .description(
      'Opens the screen of a VM in a VNC viewer on this host: remote-viewer or vncviewer.\n' +
        'With --proxy-only, prints the port to connect a viewer to instead of starting one.',
    )
    .argument('<vmi>', 'name of the VMI')
    .option('--address <address>', 'local address for the viewer to connect to', '127.0.0.1')
    .addOption(
      new Option('--port <number>', 'local port for the viewer to connect to; 0 picks a free port')
        .default(0)
        .argParser(parsePort),
    )
    .option('--proxy-only', 'print the port as JSON instead of starting a viewer')
    .option('--preserve-session', 'fail instead of disconnecting a user who is already connected')
    .addOption(
      new Option('--vnc-type <type>', 'type of the viewer').choices(['remote-viewer', 'tiger', 'real', 'chicken']),
    )
    .option('--vnc-path <file>', 'path of the viewer, of the type in --vnc-type')
    .helpCommand(false)
    .addHelpText(
      'after',
      examples(
        ['vireo vnc web', 'open it in a viewer'],
        ['vireo vnc web --proxy-only --port 5901', 'connect your own viewer'],
        ['vireo vnc screenshot web -f web.png', 'save a screenshot'],
      ),
    )
    .action(async (vmi: string, _, command) => (await import('../vnc/vnc.ts')).vnc(vmi, given(command)));
  clusterCommand(vnc, 'screenshot', 'take a screenshot')
    .description('Saves a screenshot of a VM as a PNG file.')
    .argument('<vmi>', 'name of the VMI')
    .requiredOption('-f, --file <file>', 'output file; - for standard output')
    .option('-m, --move-cursor', 'move the pointer first to wake up the screen')
    .addHelpText('after', examples(['vireo vnc screenshot web -f web.png', 'save a screenshot']))
    .action(async (vmi: string, _, command) => (await import('../screenshot.ts')).screenshot(vmi, given(command)));
}

function portForwardCommand(program: Command): void {
  clusterCommand(program, 'port-forward', 'forward local ports to a VM')
    .description(
      'Forwards local TCP and UDP ports to a VM, until Ctrl-C. Connections go straight to the VM where this host is its node, ' +
        'and through the API otherwise.',
    )
    .addArgument(new Argument('<target>', 'TYPE/NAME[/NAMESPACE], where TYPE is vm or vmi').argParser(parseTarget))
    .addArgument(new Argument('<ports...>', '[tcp|udp/]LOCAL[:REMOTE]').argParser(parseForward))
    .option('--address <address>', 'local address to listen on', '127.0.0.1')
    .option('--stdio', 'forward standard input and output instead of a port, for ProxyCommand of ssh')
    .addHelpText(
      'after',
      examples(
        ['vireo port-forward vm/web 8080:80', 'forward localhost:8080 to port 80 of the guest'],
        ['vireo port-forward vmi/dns/lab udp/5353:53 5353:53', 'UDP and TCP, to a VMI in the namespace lab'],
        ["ssh -o 'ProxyCommand=vireo port-forward --stdio vmi/web 22' me@web", 'ssh through the API'],
      ),
    )
    .action(async (target: VmTarget, ports: ForwardedPort[], _, command) =>
      (await import('../portForward.ts')).portForward(target, ports, given(command)),
    );
}

function vsockCommand(program: Command): void {
  clusterCommand(program, 'vsock', 'connect to a VSOCK port of a VM')
    .description(
      'Joins standard input and output to a VSOCK port of a VM that has `autoattachVSOCK`. The program in the guest has ' +
        'to speak TLS, unless --no-tls is given.',
    )
    .addArgument(new Argument('<target>', 'TYPE/NAME[/NAMESPACE], where TYPE is vm or vmi').argParser(parseTarget))
    .addArgument(new Argument('<port>', 'port that a program in the guest listens on').argParser(parseGuestPort))
    .option('--tls', 'encrypt the connection', true)
    .option('--no-tls', 'do not encrypt the connection')
    .addHelpText(
      'after',
      examples(
        ['vireo vsock vmi/web 1024', 'a program that speaks TLS'],
        ['vireo vsock vm/web 1024 --no-tls', 'one that does not'],
      ),
    )
    .action(async (target: VmTarget, port: number, _, command) =>
      (await import('../vsock.ts')).vsock(target, port, given(command)),
    );
}

/** The options of ssh and scp alike. */
function sshOptions(command: Command, defaultUser = 'your local user name'): Command {
  return command
    .option('-l, --username <name>', `user to log in as (default: ${defaultUser})`)
    .addOption(new Option('-p, --port <number>', 'ssh port of the guest').default(22).argParser(parsePort))
    .option('-i, --identity-file <file>', 'private key to log in with')
    .option(
      '--known-hosts <file>',
      'file that stores the host keys of guests',
      join(homedir(), '.ssh', 'kubevirt_known_hosts'),
    )
    .addOption(
      repeated(
        '-t, --local-ssh-opts <option>',
        'option for the ssh program, such as "-o Compression=yes"; can be repeated',
      ),
    )
    .addOption(new Option('--local-ssh', 'use the local ssh program; always the case').hideHelp());
}

function sshCommands(program: Command): void {
  sshOptions(
    clusterCommand(program, 'ssh', 'log in to a VM over ssh')
      .description(
        'Runs the local ssh. It connects to the address of the VM where this host is its node, and through the API ' +
          `(\`${programName} port-forward\`) otherwise, so the VM does not need an address that this host reaches.`,
      )
      .addArgument(new Argument('<guest>', '[USER@]NAME, or [USER@]vm|vmi/NAME[/NAMESPACE]').argParser(parseSshTarget))
      .option('-c, --command <command>', 'run a command in the guest instead of a shell'),
    'with NAME alone, the user from the VM’s cloud-init data; otherwise your local user name',
  )
    .addHelpText(
      'after',
      examples(
        ['vireo ssh web', 'log in as the user from the VM’s cloud-init data'],
        ['vireo ssh vireo@vm/web', 'log in as vireo'],
        ['vireo ssh vireo@vm/web/lab -i ~/.ssh/id_ed25519', 'in the namespace lab, with this key'],
        ["vireo ssh vireo@vmi/web -c 'uname -a'", 'run one command'],
      ),
    )
    .action(async (target: SshTarget, _, command) => (await import('../ssh/ssh.ts')).ssh(target, given(command)));

  sshOptions(
    clusterCommand(program, 'scp', 'copy files to and from a VM with scp')
      .description(
        'Copies files with the local scp. Either the source or the destination is in the guest: [USER@]vm|vmi/NAME[/NAMESPACE]:PATH',
      )
      .argument('<source>', 'what to copy')
      .argument('<destination>', 'where to copy it')
      .option('-r, --recursive', 'copy directories recursively')
      .option('--preserve', 'preserve modification times and modes'),
  )
    .addHelpText(
      'after',
      examples(
        ['vireo scp site.tar vireo@vm/web:', 'to the home directory of vireo'],
        ['vireo scp -r vireo@vm/web:/var/log .', 'from the guest'],
      ),
    )
    .action(async (source: string, destination: string, _, command) =>
      (await import('../ssh/scp.ts')).scp(source, destination, given(command)),
    );
}

function usbCommand(program: Command): void {
  clusterCommand(program, 'usbredir', 'redirect a local USB device to a VM')
    .description(
      'Redirects a local USB device to a VM that has client passthrough, until Ctrl-C.\n' +
        'Runs usbredirect on this host. With --no-launch, prints the port to connect usbredirect to instead.',
    )
    .argument('[device]', 'vendor:product or bus-device, as lsusb shows it; omit with --no-launch')
    .argument('[vmi]', 'name of the VMI')
    .option('--no-launch', 'print the port to connect usbredirect to instead of starting it')
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

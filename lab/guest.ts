import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { Disks } from './disks.ts';
import { PORTS } from './job.ts';
import type { Kernel } from './kernel.ts';

export interface GuestOptions {
  readonly image: string;
  readonly kernel: Kernel;
  readonly disks: Disks;
  /** A directory of this run. */
  readonly directory: string;
  /** The unit that it boots for. */
  readonly unit: 'lab-tests.service' | 'lab-shell.service';
  /** What the tests print, as it comes. */
  readonly onOutput: (chunk: Buffer) => void;
}

/** How a lab ended: with the tests' exit code, or without one. */
export type Outcome = { readonly code: number } | { readonly code: undefined; readonly console: string };

/** A shell has the terminal as its console; otherwise the console is a file. */
const consoleOf = ({ unit, directory }: GuestOptions): string[] =>
  unit === 'lab-shell.service'
    ? ['-chardev', 'stdio,id=console,signal=off', '-serial', 'chardev:console']
    : ['-serial', `file:${join(directory, 'console.log')}`];

/** What the guest writes goes to temporary files that end with QEMU, except what is kept. */
const drive = (file: string, isKept = false): string[] => [
  '-drive',
  `file=${file},format=raw,if=virtio,cache=unsafe,snapshot=${isKept ? 'off' : 'on'}`,
];

function qemuArguments(options: GuestOptions): string[] {
  const { image, kernel, disks, directory, unit } = options;
  const commandLine = [
    ...['root=/dev/vda', 'rw', 'console=ttyS0', 'net.ifnames=0', `systemd.wants=${unit}`],
    // An emulated processor needs no protection from itself, and messages take it time.
    ...['mitigations=off', 'no_timer_check', 'quiet', 'systemd.show_status=0'],
    // It is no use without its tests: what goes wrong ends it.
    ...['panic=-1', 'systemd.crash_reboot'],
  ];
  return [
    ...['-nodefaults', '-no-user-config', '-display', 'none', '-no-reboot', '-machine', 'q35'],
    // Page tables of five levels would make every access to memory dearer.
    ...['-accel', 'tcg,thread=multi,tb-size=1024', '-cpu', 'max,la57=off', '-smp', '2', '-m', '4096'],
    ...['-kernel', kernel.kernel, '-initrd', kernel.initramfs, '-append', commandLine.join(' ')],
    ...drive(join(image, 'root.img')),
    ...drive(disks.checkout),
    ...drive(disks.modules),
    ...drive(disks.cache, true),
    ...['-nic', 'user,model=virtio-net-pci', '-device', 'virtio-rng-pci', '-device', 'virtio-serial-pci'],
    ...consoleOf(options),
    ...Object.entries(PORTS).flatMap(([id, name]) => [
      ...['-chardev', `socket,id=${id},path=${join(directory, `${id}.sock`)}`],
      ...['-device', `virtserialport,chardev=${id},name=${name}`],
    ]),
  ];
}

/** Boots a lab and waits for its end, which `signal` hastens. */
export async function runGuest(options: GuestOptions, signal: AbortSignal): Promise<Outcome> {
  let result = '';
  await using _output = await listen(join(options.directory, 'output.sock'), options.onOutput);
  await using _result = await listen(join(options.directory, 'result.sock'), (chunk) => {
    result += chunk;
  });
  const stdio = options.unit === 'lab-shell.service' ? 'inherit' : (['ignore', 'inherit', 'inherit'] as const);
  // However we end, it ends with us.
  const args = ['--pdeathsig', 'KILL', 'qemu-system-x86_64', ...qemuArguments(options)];
  // A group of its own: a Ctrl-C is ours to answer, and a shell's to be typed.
  const qemu = spawn('setpriv', args, { stdio: stdio as 'inherit', detached: options.unit === 'lab-tests.service' });
  const stop = (): void => void qemu.kill('SIGTERM');
  signal.addEventListener('abort', stop, { once: true });
  if (signal.aborted) stop();
  await once(qemu, 'exit');
  signal.removeEventListener('abort', stop);
  const code = /^(\d+)$/m.exec(result)?.[1];
  if (code !== undefined) return { code: Number(code) };
  const log = await readFile(join(options.directory, 'console.log'), 'utf8').catch(() => '');
  return { code: undefined, console: log };
}

/** Takes what comes over a socket; its end waits until all has come. */
async function listen(path: string, onData: (chunk: Buffer) => void): Promise<AsyncDisposable> {
  const connections: Promise<unknown>[] = [];
  const server: Server = createServer((socket: Socket) => {
    connections.push(once(socket, 'close'));
    socket.on('data', onData).on('error', () => {});
  });
  server.listen(path);
  await once(server, 'listening');
  return {
    async [Symbol.asyncDispose]() {
      server.close();
      await Promise.all(connections);
    },
  };
}

/**
 * A libvirtd of the tests' own, with QEMU guests that die with it.
 *
 * As root it runs in namespaces of its own: its files hide /etc/libvirt, /run/libvirt and their like from it, and all
 * its processes end with the first of them. libvirtd insists on a user and a group `libvirt-qemu`, which are created on
 * the host when they are missing. Otherwise it is a session daemon of this user, below a private home.
 *
 * A shell stands between: it takes commands from us, and when we end, in whatever way, it ends the daemon and its
 * guests and deletes their files.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { connect, type Libvirt } from '../client.ts';
import type { ConnectOptions } from '../handshake.ts';
import { restoreCapabilities, storeCapabilities } from './capabilityCache.ts';
import { findProgram, run } from './programs.ts';

const isRoot = process.getuid?.() === 0;

/** Where things are below the daemon's directory. */
interface Layout {
  readonly directory: string;
  readonly socket: string;
  readonly capabilities: string;
  readonly uri: string;
}

export class TestLibvirtd implements AsyncDisposable {
  /** For files of tests; gone after `stop`. */
  readonly directory: string;
  readonly socket: string;
  /** The URI of the QEMU driver in this daemon. */
  readonly qemuUri: string;
  readonly #shell: ChildProcess;
  readonly #layout: Layout;
  readonly #exited: Promise<unknown>;

  private constructor(shell: ChildProcess, layout: Layout) {
    this.#shell = shell;
    this.#layout = layout;
    this.directory = layout.directory;
    this.socket = layout.socket;
    this.qemuUri = layout.uri;
    this.#exited = once(shell, 'exit');
  }

  /** Starts a daemon and waits until it serves. */
  static async start(): Promise<TestLibvirtd> {
    // Not in TMPDIR: paths of unix sockets may have 107 bytes only.
    const directory = await mkdtemp('/tmp/libvirtd-');
    const { layout, command, env } = isRoot ? await asRoot(directory) : await asUser(directory);
    await restoreCapabilities(layout.capabilities);
    const shell = spawn('sh', ['-c', '"$@"; rm -rf "$0"', directory, ...command], {
      stdio: ['pipe', 'pipe', 'inherit'],
      env: { ...process.env, ...env },
      // A group of its own, so that a Ctrl-C meant for us leaves it to clean up.
      detached: true,
    });
    const daemon = new TestLibvirtd(shell, layout);
    try {
      await daemon.startDaemon();
    } catch (error) {
      await daemon.stop();
      throw error;
    }
    return daemon;
  }

  /** Starts libvirtd again after `signalDaemon('KILL')`. */
  async startDaemon(): Promise<void> {
    await this.#tell('start');
    const deadline = Date.now() + 60_000;
    for (;;) {
      try {
        await (await this.connect({ uri: 'test:///default' })).close();
        return;
      } catch (error) {
        if (Date.now() > deadline || this.#shell.exitCode !== null) {
          const log = await readFile(join(this.directory, 'log/libvirtd.log'), 'utf8').catch(() => 'no log');
          throw new Error(`libvirtd does not start:\n${log}`, { cause: error });
        }
        await sleep(20);
      }
    }
  }

  /** Sends libvirtd a signal; its guests get none. After `KILL` it is gone. */
  signalDaemon(signal: 'KILL' | 'STOP' | 'CONT'): Promise<void> {
    return this.#tell(signal);
  }

  /** A client of this daemon; its QEMU driver unless another URI is given. */
  connect(options: Partial<ConnectOptions> = {}): Promise<Libvirt> {
    return connect({ socket: this.socket, uri: this.qemuUri, ...options });
  }

  async stop(): Promise<void> {
    try {
      await storeCapabilities(this.#layout.capabilities);
    } finally {
      this.#shell.stdin?.end();
      await this.#exited;
    }
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.stop();
  }

  async #tell(command: string): Promise<void> {
    const done = once(this.#shell.stdout as Readable, 'data');
    this.#shell.stdin?.write(`${command}\n`);
    await Promise.race([done, this.#exited]);
  }
}

interface Plan {
  readonly layout: Layout;
  readonly command: string[];
  readonly env: Record<string, string>;
}

const qemuConf = `
security_driver = "none"
cgroup_controllers = [ ]
stdio_handler = "file"
max_core = 0
`;

const rootQemuConf = `${qemuConf}
user = "root"
group = "root"
dynamic_ownership = 0
remember_owner = 0
namespaces = [ ]
clear_emulator_capabilities = 0
`;

const libvirtdConf = (directory: string): string => `
auth_unix_ro = "none"
auth_unix_rw = "none"
host_uuid = "${randomUUID()}"
log_outputs = "3:file:${directory}/log/libvirtd.log"
`;

/** Carries out commands, one a line, and answers each: `start`, or the name of a signal for the daemon. */
const commandLoop = (start: string): string => `
while read -r command; do
  case $command in
    start) ${start} >&2 & daemon=$! ;;
    KILL) { kill -KILL $daemon; wait $daemon; } 2>/dev/null || : ;;
    *) kill -"$command" $daemon ;;
  esac
  echo done
done`;

async function asRoot(directory: string): Promise<Plan> {
  await ensureQemuUser();
  for (const name of ['etc', 'run', 'lib', 'cache', 'log', 'sock']) await mkdir(join(directory, name));
  await writeFile(join(directory, 'etc/qemu.conf'), rootQemuConf);
  const conf = `${libvirtdConf(directory)}unix_sock_dir = "${directory}/sock"\n`;
  await writeFile(join(directory, 'etc/libvirtd.conf'), conf);
  const places = [
    'etc:/etc/libvirt',
    ...['run:/run', 'lib:/var/lib', 'cache:/var/cache', 'log:/var/log'].map((p) => `${p}/libvirt`),
  ];
  const mounts: string[] = [];
  for (const [from, to] of places.map((place) => place.split(':'))) {
    await mkdir(to as string, { recursive: true });
    mounts.push(`mount --bind "$1/${from}" ${to}`);
  }
  // Terminals of consoles are locked by files that a killed daemon leaves behind.
  mounts.push('mount -t tmpfs tmpfs "$(readlink -f /var/lock)"');
  const start = `${await findProgram('libvirtd')} --config /etc/libvirt/libvirtd.conf --pid-file "$1/libvirtd.pid"`;
  const script = `set -e\n${mounts.join('\n')}\n${commandLoop(start)}`;
  const unshare = ['unshare', '--mount', '--propagation=private', '--pid', '--fork', '--kill-child', '--mount-proc'];
  return {
    layout: {
      directory,
      socket: join(directory, 'sock/libvirt-sock'),
      capabilities: join(directory, 'cache/qemu/capabilities'),
      uri: 'qemu:///system',
    },
    // Guests whose end nobody collects would make libvirt wait for them: the first process of the namespace does it.
    command: [...unshare, await findProgram('tini'), '--', 'sh', '-c', script, 'sh', directory],
    env: {},
  };
}

async function asUser(directory: string): Promise<Plan> {
  for (const name of ['run', 'config/libvirt', 'cache', 'data', 'log']) {
    await mkdir(join(directory, name), { recursive: true, mode: 0o700 });
  }
  await writeFile(join(directory, 'config/libvirt/qemu.conf'), qemuConf);
  await writeFile(join(directory, 'config/libvirt/libvirtd.conf'), libvirtdConf(directory));
  const start = `${await findProgram('libvirtd')} --pid-file "$1/libvirtd.pid"`;
  const end = `
kill -KILL $daemon
for file in "$1"/run/libvirt/qemu/run/*.pid; do kill -KILL "$(cat "$file")"; done
# Terminals of consoles are locked by files that a killed daemon leaves behind.
for lock in /var/lock/LCK..*; do test "$(tr -d ' ' <"$lock")" = "$daemon" && rm -f "$lock"; done`;
  return {
    layout: {
      directory,
      socket: join(directory, 'run/libvirt/libvirt-sock'),
      capabilities: join(directory, 'cache/libvirt/qemu/capabilities'),
      uri: 'qemu:///session',
    },
    command: [
      await findProgram('tini'),
      '-s',
      '--',
      'sh',
      '-c',
      `${commandLoop(start)}\nexec 2>/dev/null\n${end}`,
      'sh',
      directory,
    ],
    env: {
      HOME: directory,
      XDG_RUNTIME_DIR: join(directory, 'run'),
      XDG_CONFIG_HOME: join(directory, 'config'),
      XDG_CACHE_HOME: join(directory, 'cache'),
      XDG_DATA_HOME: join(directory, 'data'),
    },
  };
}

/** Test files start side by side: another one may be creating the user right now. */
async function ensureQemuUser(): Promise<void> {
  for (let tries = 0; ; tries += 1) {
    if ((await hasEntry('/etc/passwd')) && (await hasEntry('/etc/group'))) return;
    try {
      for (const group of ['kvm', 'libvirt-qemu']) await run('groupadd', ['--system', '--force', group]);
      if (await hasEntry('/etc/passwd')) continue;
      const home = ['--no-create-home', '--home-dir', '/var/lib/libvirt', '--shell', '/usr/sbin/nologin'];
      await run('useradd', ['--system', ...home, '--gid', 'kvm', 'libvirt-qemu']);
    } catch (error) {
      if (tries === 20) throw error;
      await sleep(100);
    }
  }
}

const hasEntry = async (file: string): Promise<boolean> => /^libvirt-qemu:/m.test(await readFile(file, 'utf8'));

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile, readlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import { type Clock, type Log, pause } from '@vireo/kube';
import { METADATA } from '@vireo/network';
import type { NodeLayout } from './layout.ts';

const POLL_MS = 20;
const START_TIMEOUT_MS = 10_000;
/** How often the uplink is looked after. */
const PERIOD_MS = 5_000;
/** Where slirp4netns answers DNS. */
const RESOLV_CONF = 'nameserver 10.0.2.3\n';

/**
 * Makes the namespaces and waits in them, without rights, until somebody ends it. Their loopback device is their own, so what
 * guests find at 10.0.2.2 is empty; link-local addresses and others where clouds serve credentials lead nowhere.
 */
const HOLDER = [
  'ip link set lo up',
  // slirp4netns is not asked for IPv6.
  ...METADATA.IPv4.map((range) => `ip route add prohibit ${range}`),
  'mount --bind "$1/resolv.conf" /etc/resolv.conf',
  'exec setpriv --inh-caps=-all --ambient-caps=-all tail -f "$1/holder"',
].join(' && ');

/**
 * The network of an ordinary user's libvirtd and guests: a network namespace of that user with slirp4netns as its way out. It
 * belongs to no process of ours, as the daemon does.
 */
export class SessionNetwork {
  readonly #directory: string;
  readonly #log: Log;
  #ensuring: Promise<number | undefined> | undefined;
  #problem: string | undefined;

  constructor({ libvirt }: Pick<NodeLayout, 'libvirt'>, log: Log) {
    this.#directory = join(libvirt, 'network');
    this.#log = log;
  }

  /** Why guests are in the network of the host; undefined where they are not. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The words that commands in the namespace begin with; none where there cannot be one. */
  async enter(): Promise<string[]> {
    const holder = await this.#ensure();
    return holder === undefined ? [] : ['nsenter', '-t', `${holder}`, '-U', '-n', '-m', '--preserve-credentials', '--'];
  }

  /** Whether a process should be in the namespace and is not. */
  async isOutside(pid: number): Promise<boolean> {
    const holder = await this.#ensure();
    return holder !== undefined && (await networkOf(pid)) !== (await networkOf(holder));
  }

  /** Starts the way out again if it has ended, until `signal` aborts. */
  async keep(clock: Clock, signal: AbortSignal): Promise<void> {
    // Guests that are in the network of the host stay there.
    if (this.#problem !== undefined) return;
    while (!signal.aborted) {
      await pause(PERIOD_MS, signal, clock);
      if (!signal.aborted) await this.#ensure();
    }
  }

  /** Ends it, with all that guests of this home have of a network. */
  async end(): Promise<void> {
    const holder = await this.#holder();
    for (const pid of [holder && (await this.#uplink(holder)), holder]) if (pid) process.kill(pid, 'SIGKILL');
  }

  #ensure(): Promise<number | undefined> {
    this.#ensuring ??= this.#make().finally(() => {
      this.#ensuring = undefined;
    });
    return this.#ensuring;
  }

  async #make(): Promise<number | undefined> {
    try {
      const found = await this.#holder();
      const holder = found ?? (await this.#makeHolder());
      if ((await this.#uplink(holder)) === undefined) {
        if (found !== undefined) this.#log.warn('slirp4netns has ended, and is started again', undefined);
        await this.#makeUplink(holder).catch((error: unknown) => {
          // Without a way out, guests are better off in the network of the host.
          if (found === undefined) process.kill(holder, 'SIGKILL');
          throw error;
        });
      }
      this.#problem = undefined;
      return holder;
    } catch (error) {
      this.#problem = error instanceof Error ? error.message : String(error);
      return undefined;
    }
  }

  #holder(): Promise<number | undefined> {
    return this.#running('holder.pid', (words) => words[0] === 'tail' && words[2] === this.#path('holder'));
  }

  #uplink(holder: number): Promise<number | undefined> {
    return this.#running('uplink.pid', (words) => words[0] === 'slirp4netns' && words.includes(`${holder}`));
  }

  async #makeHolder(): Promise<number> {
    await mkdir(this.#directory, { recursive: true, mode: 0o700 });
    await writeFile(this.#path('resolv.conf'), RESOLV_CONF, { mode: 0o600 });
    await writeFile(this.#path('holder'), '', { mode: 0o600 });
    const namespaces = ['--user', '--map-current-user', '--keep-caps', '--net', '--mount', '--propagation', 'slave'];
    const child = this.#spawn('unshare', [...namespaces, 'sh', '-c', HOLDER, 'sh', this.#directory]);
    const pid = await this.#started(child, 'util-linux');
    await writeFile(this.#path('holder.pid'), `${pid}`, { mode: 0o600 });
    const isReady = until(async () => (await this.#holder()) !== undefined);
    if (await Promise.race([isReady, once(child, 'exit').then(() => false)])) return pid;
    throw new Error(`this user cannot have a network namespace: ${await this.#lastWords()}`);
  }

  async #makeUplink(holder: number): Promise<void> {
    const options = ['--configure', '--mtu=65520', '--disable-host-loopback', '--ready-fd=3'];
    const child = this.#spawn('slirp4netns', [...options, `${holder}`, 'tap0'], 'pipe');
    const pid = await this.#started(child, 'slirp4netns');
    const ready = child.stdio[3] as Readable;
    const isReady = once(ready, 'data').then(() => true);
    if (!(await Promise.race([isReady, once(child, 'exit').then(() => false)])))
      throw new Error(`slirp4netns cannot be used: ${await this.#lastWords()}`);
    ready.destroy();
    await writeFile(this.#path('uplink.pid'), `${pid}`, { mode: 0o600 });
  }

  /** `ready`: what its descriptor 3 is. */
  #spawn(program: string, words: readonly string[], ready: 'pipe' | 'ignore' = 'ignore'): ChildProcess {
    const log = openSync(this.#path('log'), 'a', 0o600);
    try {
      const env = { ...process.env, PATH: `${process.env.PATH}:/usr/sbin:/sbin` };
      const child = spawn(program, words, { detached: true, stdio: ['ignore', log, log, ready], env });
      child.unref();
      return child;
    } finally {
      closeSync(log);
    }
  }

  async #started(child: ChildProcess, debian: string): Promise<number> {
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new Error(`the program ${child.spawnfile} is missing; install the package ${debian}`, { cause: error });
    }
    return child.pid ?? 0;
  }

  async #lastWords(): Promise<string> {
    const lines = (await readFile(this.#path('log'), 'utf8').catch(() => '')).trim().split('\n');
    return lines.slice(-2).join(', ');
  }

  async #running(file: string, isIt: (words: readonly string[]) => boolean): Promise<number | undefined> {
    const pid = Number(await readFile(this.#path(file), 'utf8').catch(() => ''));
    const words = pid > 0 ? (await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '')).split('\0') : [];
    return isIt(words) ? pid : undefined;
  }

  #path(name: string): string {
    return join(this.#directory, name);
  }
}

/** What tells the network namespace of a process from others; undefined where that cannot be known. */
export const networkOf = (pid: number | 'self'): Promise<string | undefined> =>
  readlink(`/proc/${pid}/ns/net`).catch(() => undefined);

async function until(isSo: () => Promise<boolean>): Promise<boolean> {
  for (const deadline = Date.now() + START_TIMEOUT_MS; Date.now() < deadline; ) {
    if (await isSo()) return true;
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
  return false;
}

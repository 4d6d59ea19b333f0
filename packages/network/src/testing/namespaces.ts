import { type ChildProcess, spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { run } from '../run.ts';

/** Why there can be no network namespaces here; undefined if there can. */
export async function whyNoNamespaces(): Promise<string | undefined> {
  try {
    await run('unshare', ['--net', 'nft', 'list', 'tables']);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

/** Why there is no WireGuard here; undefined if there is. */
export async function whyNoWireguard(): Promise<string | undefined> {
  try {
    await run('unshare', ['--net', 'ip', 'link', 'add', 'wg-test', 'type', 'wireguard']);
    await run('wg', ['--version']);
    return undefined;
  } catch (error) {
    return (error as Error).message;
  }
}

const PEER = new URL('./peer.ts', import.meta.url).pathname;

/** A machine in a namespace of its own, with a cable to the namespace that this process is in. */
export class Machine implements AsyncDisposable {
  readonly #namespace: string;
  #child: ChildProcess | undefined;
  readonly #answers: ((answer: string) => void)[] = [];

  private constructor(namespace: string) {
    this.#namespace = namespace;
  }

  /** Makes the machine. `device`: the other end of the cable, which is ours, or that of the machine `at`. */
  static async make(device: string, options: { mac?: string; at?: Machine } = {}): Promise<Machine> {
    const machine = new Machine(`vireo-test-${randomBytes(4).toString('hex')}`);
    await run('ip', ['netns', 'add', machine.#namespace]);
    const make = `link add ${device} type veth peer name eth0 netns ${machine.#namespace}`;
    await (options.at ? options.at.ip(make) : run('ip', make.split(' ')));
    await machine.ip('link set lo up');
    await machine.ip(`link set eth0 ${options.mac ? `address ${options.mac} ` : ''}up`);
    return machine;
  }

  /** Runs `ip` in the machine. */
  ip(command: string): Promise<string> {
    return run('ip', ['-n', this.#namespace, ...command.split(' ')]);
  }

  /** Runs another program in the machine. */
  exec(...words: string[]): Promise<string> {
    return run('ip', ['netns', 'exec', this.#namespace, ...words]);
  }

  /** Puts a cable from this machine into another one. */
  async replug(device: string, to: Machine): Promise<void> {
    await this.ip(`link set ${device} netns ${to.#namespace}`);
  }

  /** Changes a setting of the machine's kernel: `ipv6/conf/eth0/accept_ra`. */
  set(name: string, value: string): Promise<string> {
    return this.exec('sh', '-c', `echo ${value} >/proc/sys/net/${name}`);
  }

  /** Starts to serve a name at ports. */
  serve(name: string, ...ports: number[]): Promise<void> {
    return this.start(PEER, name, ...ports.map(String));
  }

  /** Starts a script that takes orders; it prints a line when it is ready, and one for each. */
  async start(script: string, ...args: string[]): Promise<void> {
    const words = ['netns', 'exec', this.#namespace, process.execPath, script, ...args];
    const child = spawn('ip', words, { stdio: ['pipe', 'pipe', 'inherit'] });
    this.#child = child;
    const lines = createInterface({ input: child.stdout });
    await once(lines, 'line');
    lines.on('line', (line) => this.#answers.shift()?.(JSON.parse(line) as string));
  }

  /** What a server says that the machine connects to, or the code of the error. */
  get(host: string, port: number, localAddress?: string): Promise<string> {
    return this.order({ get: [host, port, localAddress] });
  }

  /** What a server says to a datagram from one of the machine's ports, or that it says nothing. */
  ask(host: string, port: number, localPort: number): Promise<string> {
    return this.order({ ask: [host, port, localPort] });
  }

  /** The addresses of a name, or the code of the error. */
  lookUp(hostname: string, server: string): Promise<string> {
    return this.order({ lookUp: [hostname, server] });
  }

  /** The address that a DHCP server offers. */
  askForAddress(mac: string): Promise<string> {
    return this.order({ address: mac });
  }

  /** What a DHCP server offers: address, server, router and routes; the last two as their bytes. */
  askForLease(mac: string, isBroadcast: boolean): Promise<string> {
    return this.order({ lease: [mac, isBroadcast] });
  }

  /** What a DHCPv6 server gives, and from where. `own`: the machine's link-local address. */
  askForAddress6(own: string): Promise<string> {
    return this.order({ address6: own });
  }

  /** Has the script of the machine do something. */
  order(order: unknown): Promise<string> {
    return new Promise((resolve) => {
      this.#answers.push(resolve);
      this.#child?.stdin?.write(`${JSON.stringify(order)}\n`);
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const child = this.#child;
    if (child && child.exitCode === null) {
      const ended = once(child, 'exit');
      child.kill('SIGKILL');
      await ended;
    }
    await run('ip', ['netns', 'del', this.#namespace]);
  }
}

/** What a machine says to datagrams of another at ports of DHCP, which are for now those of the server that answers them. */
export async function askAt(machine: Machine, other: Machine, host: string, ...ports: number[]): Promise<string[]> {
  const chain = 'add table inet ports; add chain inet ports in { type nat hook prerouting priority -100; }';
  await machine.exec('nft', `${chain}; add rule inet ports in udp dport { ${ports.join(', ')} } redirect to :7`);
  const answers: string[] = [];
  for (const port of ports) answers.push(await other.ask(host, port, 5000 + port));
  await machine.exec('nft', 'delete table inet ports');
  return answers;
}

import { execFile } from 'node:child_process';
import { hostname } from 'node:os';
import { promisify } from 'node:util';
import { planNetwork, planNodes } from '@vireo/cli/localNodes/plan.ts';
import { type Kubectl, kubectlFor } from '../../e2e/kubectl.ts';
import { runVireo, startVireo, type Vireo } from '../../e2e/vireo.ts';
import { end, guestsOf, processesWith } from '../../e2e/vms/leftovers.ts';

const run = promisify(execFile);

/** A Vireo with several nodes on this host, and what can happen to them. */
export interface Hosts {
  readonly kubectl: Kubectl;
  readonly home: string;
  /** The names of the nodes, the server's own first. */
  readonly nodes: readonly string[];
  server(): Vireo;
  vireo(...words: string[]): Promise<string>;
  /** Starts the server again that was killed. */
  restartServer(): Promise<void>;
  /** Suspends the server, or lets it go on. */
  signalServer(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Signals the agent of a further node. */
  signalAgent(node: string, signal: NodeJS.Signals): Promise<void>;
  /** The processes of the agent of a further node. */
  agents(node: string): Promise<number[]>;
  /** Pulls the network cable of a further node, or puts it back. */
  cable(node: string, state: 'up' | 'down'): Promise<void>;
  /** Ends every guest and libvirtd of a further node, as a power cut would. */
  powerOff(node: string): Promise<void>;
  /** The guests of all nodes: the names of their VMs, with the process. */
  guests(): Promise<{ readonly vm: string; readonly pid: number }[]>;
}

/** Starts such a Vireo on a home. */
export async function startHosts(home: string, count: number): Promise<Hosts> {
  const network = planNetwork(home, [], '0.0.0.0/24');
  const plan = planNodes(home, hostname().toLowerCase(), count, network);
  const start = (port = 0): Promise<Vireo> =>
    startVireo({ home, port, vms: true, options: ['--nodes', String(count)] });
  let server = await start();
  const planned = (name: string) => {
    const node = plan.find((each) => each.name === name);
    if (!node?.link) throw new Error(`${name} is no further node of this host`);
    return { ...node, link: node.link };
  };
  const agentOf = async (node: string): Promise<number[]> =>
    (await processesWith(planned(node).home))
      .filter(({ command }) => command.includes('node') && command.some((word) => word.includes('main.')))
      .map(({ pid }) => pid);
  return {
    home,
    kubectl: kubectlFor(server.kubeconfig, `${home}/kubectl-cache`),
    nodes: [hostname().toLowerCase(), ...plan.map(({ name }) => name)],
    server: () => server,
    async vireo(...words) {
      const { output, code } = await runVireo([...words, '--kubeconfig', server.kubeconfig]);
      if (code !== 0) throw new Error(`vireo ${words.join(' ')}: ${output}`);
      return output;
    },
    async restartServer() {
      const { port } = server;
      await server.kill();
      server = await start(port);
    },
    signalServer: (signal) => void process.kill(server.pid, signal),
    async signalAgent(node, signal) {
      for (const pid of await agentOf(node)) process.kill(pid, signal);
    },
    agents: agentOf,
    async cable(node, state) {
      await run('ip', ['link', 'set', planned(node).link.hostEnd, state]);
    },
    async powerOff(node) {
      const own = planned(node).home;
      for (const { pid } of await processesWith(own))
        if (!(await agentOf(node)).includes(pid) && pid !== process.pid) end(pid, 'SIGKILL');
    },
    async guests() {
      const found = await guestsOf(home);
      return found.map(({ pid, command }) => ({
        pid,
        vm: /guest=[^_]+_([^,]+)/.exec(command[command.indexOf('-name') + 1] ?? '')?.[1] ?? '',
      }));
    },
  };
}

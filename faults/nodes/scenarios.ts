import { setTimeout as delay } from 'node:timers/promises';
import type { Hosts } from './host.ts';

/** What happens to a node, and what must be true of its VMs meanwhile and afterwards. */
export interface Scenario {
  readonly name: string;
  /** Whether the VMs of the node end in it and are started elsewhere; otherwise no guest may notice anything. */
  readonly movesVms: boolean;
  /** Does it to a further node, and undoes it. */
  run(hosts: Hosts, node: string, check: Checks): Promise<void>;
}

/** What a scenario waits for. */
export interface Checks {
  /** Until every VM of the node has this phase. */
  phase(phase: 'Running' | 'Unknown'): Promise<void>;
  /** Until none of the VMs that were on the node is there, and all run elsewhere. */
  moved(): Promise<void>;
  /** Until another process is the node's agent, and its node reports to the server again. */
  agentReplaced(pid: number | undefined): Promise<void>;
  /** How long the API server is away. */
  readonly awaySeconds: number;
}

export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'the agent is suspended until its node is unreachable, and goes on',
    movesVms: false,
    async run(hosts, node, check) {
      await hosts.signalAgent(node, 'SIGSTOP');
      await check.phase('Unknown');
      await hosts.signalAgent(node, 'SIGCONT');
      await check.phase('Running');
    },
  },
  {
    name: 'the agent is killed',
    movesVms: false,
    async run(hosts, node, check) {
      const [killed] = await hosts.agents(node);
      await hosts.signalAgent(node, 'SIGKILL');
      await check.agentReplaced(killed);
      await check.phase('Running');
    },
  },
  {
    name: 'the node is cut off until it is unreachable, and comes back',
    movesVms: false,
    async run(hosts, node, check) {
      await hosts.cable(node, 'down');
      await check.phase('Unknown');
      await hosts.cable(node, 'up');
      await check.phase('Running');
    },
  },
  {
    name: 'somebody deletes the Node',
    movesVms: false,
    async run(hosts, node, check) {
      await hosts.kubectl.do(`delete node ${node}`);
      await hosts.kubectl.until(`get node ${node} -o name`, `node/${node}`);
      await check.phase('Running');
    },
  },
  {
    name: 'somebody deletes the Node while its agent is suspended, and its pods are collected',
    movesVms: false,
    async run(hosts, node, check) {
      await hosts.signalAgent(node, 'SIGSTOP');
      await hosts.kubectl.do(`delete node ${node}`);
      await check.phase('Unknown');
      await hosts.kubectl.until(`get pods --field-selector spec.nodeName=${node} -o name`, /^$/);
      await hosts.signalAgent(node, 'SIGCONT');
      await hosts.kubectl.until(`get node ${node} -o name`, `node/${node}`);
      await check.phase('Running');
    },
  },
  {
    name: 'the server and all agents are killed and started again',
    movesVms: false,
    async run(hosts, _, check) {
      await hosts.restartServer();
      await check.phase('Running');
    },
  },
  {
    name: 'the API server is away',
    movesVms: false,
    async run(hosts, _, check) {
      hosts.signalServer('SIGSTOP');
      await delay(check.awaySeconds * 1000);
      hosts.signalServer('SIGCONT');
      await check.phase('Running');
    },
  },
  {
    name: 'the host is off, and an administrator says so',
    movesVms: true,
    async run(hosts, node, check) {
      await hosts.signalAgent(node, 'SIGSTOP');
      await hosts.powerOff(node);
      await check.phase('Unknown');
      await hosts.vireo('node', 'fence', node, '--yes');
      await check.moved();
      await hosts.signalAgent(node, 'SIGCONT');
      await hosts.vireo('node', 'unfence', node);
    },
  },
  {
    name: 'with the policy lease, the agent is suspended: its guests end, and are started elsewhere',
    movesVms: true,
    async run(hosts, node, check) {
      await hosts.vireo('node', 'fence', node, '--policy', 'lease');
      await hosts.signalAgent(node, 'SIGSTOP');
      await check.moved();
      await hosts.signalAgent(node, 'SIGCONT');
      await hosts.vireo('node', 'fence', node, '--policy', 'none');
    },
  },
];

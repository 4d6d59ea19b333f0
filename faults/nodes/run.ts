import { setTimeout as delay } from 'node:timers/promises';
import { runVireo } from '../../e2e/vireo.ts';
import { vm } from '../../e2e/vms/manifests.ts';
import { Doubles } from '../doubles.ts';
import { type Hosts, startHosts } from './host.ts';
import { type Checks, SCENARIOS, type Scenario } from './scenarios.ts';

const NODES = 3;
const VMS = 6;
/** An unreachable node is noticed after 50 seconds, and a policy may wait for two minutes more; a busy host takes its time. */
const PATIENCE_MS = 360_000;
const POLL_MS = 500;

export interface NodeFaultsOptions {
  readonly home: string;
  /** How long the API server is away. */
  readonly awaySeconds: number;
  /** Of these only; empty: all. */
  readonly only: readonly string[];
}

interface VmiSummary {
  readonly metadata: { readonly name: string; readonly uid: string };
  readonly status?: { readonly phase?: string; readonly nodeName?: string };
}

/** Runs every scenario on three nodes of this host; returns what went wrong. */
export async function nodeFaults({ home, awaySeconds, only }: NodeFaultsOptions): Promise<string[]> {
  const hosts = await startHosts(home, NODES);
  const doubles = new Doubles(home);
  const problems: string[] = [];
  try {
    const names = Array.from({ length: VMS }, (_, index) => `vm-${index}`);
    // An image that every node has without a registry.
    const manifests = names.map((name) => vm(name, { guest: 'boot-sector', graceSeconds: 0 }));
    await hosts.kubectl.do('apply -f -', { input: manifests.join('\n') });
    await until('all VMs run', async () => (await vmis(hosts)).filter(isRunning).length === VMS);
    doubles.start();
    for (const scenario of SCENARIOS.filter(
      ({ name }) => only.length === 0 || only.some((each) => name.includes(each)),
    )) {
      const startedAt = performance.now();
      const found = await play(hosts, scenario, awaySeconds).catch((error: Error) => [error.message]);
      problems.push(...[...found, ...doubles.problems()].map((problem) => `${scenario.name}: ${problem}`));
      const seconds = Math.round((performance.now() - startedAt) / 1000);
      console.log(`${found.length === 0 ? 'ok  ' : 'FAIL'} ${String(seconds).padStart(4)} s  ${scenario.name}`);
      if (problems.length > 0) break;
    }
    if (problems.length > 0) console.log(`The last output of the server:\n${hosts.server().output().slice(-4000)}`);
    return problems;
  } finally {
    await doubles.stop();
    hosts.signalServer('SIGCONT');
    for (const node of hosts.nodes.slice(1)) await hosts.signalAgent(node, 'SIGCONT').catch(() => {});
    await hosts.server().stop();
    // The guests of all nodes, and their networks.
    await runVireo(['down', '--home', home, '--force']);
  }
}

/** One scenario on the further node with the most VMs; what it did wrong. */
async function play(hosts: Hosts, scenario: Scenario, awaySeconds: number): Promise<string[]> {
  const before = await vmis(hosts);
  const on = (node: string): VmiSummary[] => before.filter(({ status }) => status?.nodeName === node);
  const [node = ''] = hosts.nodes.slice(1).sort((a, b) => on(b).length - on(a).length);
  const there = on(node).map(({ metadata }) => metadata.name);
  if (there.length === 0) return [`no VM runs on ${node}`];
  const guestsBefore = await hosts.guests();
  await scenario.run(hosts, node, checksFor(hosts, node, there, awaySeconds));
  await until('all VMs run', async () => {
    const now = await vmis(hosts);
    return now.length === VMS && now.every(isRunning);
  });
  const problems: string[] = [];
  const guestsAfter = await hosts.guests();
  for (const { metadata } of before) {
    const now = guestsAfter.filter(({ vm: name }) => name === metadata.name);
    if (now.length !== 1) problems.push(`${metadata.name} has ${now.length} guests`);
    const was = guestsBefore.find(({ vm: name }) => name === metadata.name);
    const mayMove = scenario.movesVms && there.includes(metadata.name);
    if (!mayMove && now[0]?.pid !== was?.pid) problems.push(`${metadata.name} has another guest than before`);
  }
  return problems;
}

function checksFor(hosts: Hosts, node: string, there: readonly string[], awaySeconds: number): Checks {
  const own = async (): Promise<VmiSummary[]> =>
    (await vmis(hosts)).filter(({ metadata }) => there.includes(metadata.name));
  return {
    awaySeconds,
    phase: (phase) =>
      until(`the VMs of ${node} are ${phase}`, async () => {
        const now = await own();
        return now.length === there.length && now.every(({ status }) => status?.phase === phase);
      }),
    agentReplaced: (pid) => {
      const sinceMs = Date.now();
      return until(`another agent runs on ${node}`, async () => {
        const [now] = await hosts.agents(node);
        if (now === undefined || now === pid) return false;
        const lease = `get lease ${node} -n kube-node-lease -o jsonpath={.spec.renewTime}`;
        return Date.parse((await hosts.kubectl.run(lease)).stdout) > sinceMs;
      });
    },
    moved: () =>
      until(`the VMs of ${node} run elsewhere`, async () => {
        const now = await own();
        return now.length === there.length && now.every((vmi) => isRunning(vmi) && vmi.status?.nodeName !== node);
      }),
  };
}

const isRunning = ({ status }: VmiSummary): boolean => status?.phase === 'Running';

const vmis = async ({ kubectl }: Hosts): Promise<VmiSummary[]> =>
  (await kubectl.json<{ items: VmiSummary[] }>('get vmi -o json')).items;

async function until(what: string, isTrue: () => Promise<boolean>): Promise<void> {
  const deadline = performance.now() + PATIENCE_MS;
  // A server that is just away answers nothing, which is no result.
  while (!(await isTrue().catch(() => false))) {
    if (performance.now() > deadline) throw new Error(`not within ${PATIENCE_MS / 1000} s: ${what}`);
    await delay(POLL_MS);
  }
}

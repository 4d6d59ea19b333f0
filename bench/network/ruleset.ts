/**
 * The rules of a node with so many Services and members of a policy, and guests of its own that the policy selects, in a network namespace of its own: those of
 * another size must not be in the kernel's way. Started by `startTasks` and `unshare --net`.
 */
import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import type { NetworkPolicy, Pod } from '@vireo/api';
import { DEFAULT_NETWORK } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import {
  cardFragment,
  claimNetwork,
  ensureNetwork,
  type Fragment,
  isolationFragment,
  policyChain,
  Ruleset,
  run,
  type ServicePort,
  serviceFragment,
  skeleton,
  toAddress,
  toNumber,
  transact,
  useRunner,
} from '@vireo/network';
import { networkPlan } from '@vireo/node/network/index.ts';
import { PolicyMembers } from '@vireo/node/network/policyMembers.ts';
import { serveTasks } from '../processes.ts';
import type { Change, Cost } from './changes.ts';

export type RulesetTasks = {
  /** Loads everything. */
  readonly open: (size: number) => Promise<void>;
  /** Loads everything once more; resolves with what it took. */
  readonly reload: (nothing: undefined) => Promise<Cost>;
  /** One more of something, and one less. */
  readonly change: (what: Change) => Promise<{ more: Cost; less: Cost }>;
  /** Milliseconds for a connection, through a Service and directly: means of so many. */
  readonly connections: (count: number) => Promise<{ service: number; direct: number }>;
};

const ENDPOINTS = 10;
const LISTENER = { address: '192.0.2.10', port: 8080 };
const SERVICE_ADDRESS = '10.96.255.1';

const plan = networkPlan('vireo0', '10.244.0.0/24', DEFAULT_NETWORK, 1);

let bytes = 0;
useRunner();
const ruleset = new Ruleset({
  table: plan.name,
  skeleton: skeleton(plan),
  nft: (text) => {
    bytes = text.length;
    return run('nft', ['-f', '-'], text);
  },
  transact: (batch) => {
    bytes = batch.bytes.length;
    return transact(batch);
  },
  onReload: (error) => {
    throw error;
  },
});

/** How many Services and members there are. */
let size = 0;
/** A node's range has room for so many. */
const MOST_GUESTS = 250;

const nth = (first: string, index: number): string => toAddress(toNumber(first) + index);

const service = (index: number, endpoints: number): Fragment =>
  serviceFragment({ ...port(index, endpoints), internal: [nth('10.96.1.0', index)] });

/** One that is reached by an address of the node only. */
const balanced = (index: number, endpoints: number): Fragment =>
  serviceFragment({
    ...port(index, endpoints),
    id: `bench/balanced-${index}/http`,
    external: [nth('198.51.0.0', index)],
  });

const port = (index: number, endpoints: number): ServicePort => ({
  id: `bench/service-${index}/http`,
  family: 'IPv4',
  protocol: 'tcp',
  port: 80,
  internal: [],
  external: [],
  endpoints: Array.from({ length: endpoints }, (_, each) => ({
    address: nth('10.244.1.0', index * ENDPOINTS + each),
    port: 8080,
  })),
});

const card = (index: number): Fragment =>
  cardFragment({
    device: `vt${index}`,
    mac: `02:00:00:00:${hex(index >> 8)}:${hex(index & 255)}`,
    address: nth('10.244.1.0', index),
  });

const hex = (byte: number): string => byte.toString(16).padStart(2, '0');

const policy: NetworkPolicy = {
  apiVersion: 'networking.k8s.io/v1',
  kind: 'NetworkPolicy',
  metadata: { name: 'peers', namespace: 'bench' },
  spec: {
    podSelector: {},
    policyTypes: ['Ingress'],
    ingress: [{ from: [{ podSelector: { matchLabels: { app: 'member' } } }], ports: [{ port: 80 }] }],
  },
};
const members = new PolicyMembers(policy);

/** Every second address. */
const member = (index: number): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: `member-${index}`, namespace: 'bench', labels: { app: 'member' } },
  status: { phase: 'Running', podIP: nth('10.244.1.0', 2 * index) },
});

/** What is put for one more of something; for one less, it is as it was. */
const CHANGED: Readonly<Record<Change, (isMore: boolean) => void>> = {
  endpoint: (isMore) => ruleset.put('service/0', service(0, ENDPOINTS + (isMore ? 1 : 0))),
  balanced: (isMore) => ruleset.put('balanced/0', balanced(0, ENDPOINTS + (isMore ? 1 : 0))),
  guest: (isMore) => (isMore ? ruleset.put('card/more', card(MOST_GUESTS)) : ruleset.drop('card/more')),
  member: (isMore) => ruleset.change('policy/peers', members.change('more', isMore ? member(size) : undefined, [])),
};

async function timed(act: () => void): Promise<Cost> {
  const startedAt = performance.now();
  act();
  await ruleset.apply();
  return { ms: performance.now() - startedAt, bytes };
}

async function connectionMs(host: string, port: number, count: number): Promise<number> {
  const startedAt = performance.now();
  for (let number = 0; number < count; number++) {
    const socket = connect({ host, port });
    await once(socket, 'connect');
    socket.resetAndDestroy();
    await once(socket, 'close');
  }
  return (performance.now() - startedAt) / count;
}

serveTasks({
  open: async (count: number) => {
    size = count;
    await run('ip', ['link', 'set', 'lo', 'up']);
    await run('ip', ['addr', 'add', `${LISTENER.address}/32`, 'dev', 'lo']);
    await claimNetwork('bench');
    await ensureNetwork(plan);
    const server = createServer((socket) => socket.on('error', () => {}).resume());
    server.listen(LISTENER.port, LISTENER.address);
    await once(server, 'listening');
    for (let index = 0; index < size; index++) {
      ruleset.put(`service/${index}`, service(index, ENDPOINTS));
      ruleset.put(`balanced/${index}`, balanced(index, ENDPOINTS));
    }
    const peers = policyChain({ id: 'bench/peers', direction: 'ingress' });
    for (let index = 0; index < Math.min(size, MOST_GUESTS); index++) {
      ruleset.put(`card/${index}`, card(index));
      ruleset.put(`guest/${index}`, isolationFragment({ address: nth('10.244.1.0', index), ingress: [peers] }));
    }
    for (let index = 0; index < size; index++) members.change(`${index}`, member(index), []);
    ruleset.put('policy/peers', members.fragment());
    ruleset.put(
      'service/reached',
      serviceFragment({
        id: 'bench/reached/http',
        family: 'IPv4',
        protocol: 'tcp',
        port: 80,
        internal: [SERVICE_ADDRESS],
        external: [],
        endpoints: [LISTENER],
      }),
    );
    await ruleset.apply();
  },
  reload: () => timed(() => ruleset.invalidate()),
  change: async (what: Change) => ({
    more: await timed(() => CHANGED[what](true)),
    less: await timed(() => CHANGED[what](false)),
  }),
  connections: async (count: number) => ({
    service: await connectionMs(SERVICE_ADDRESS, 80, count),
    direct: await connectionMs(LISTENER.address, LISTENER.port, count),
  }),
} satisfies RulesetTasks);

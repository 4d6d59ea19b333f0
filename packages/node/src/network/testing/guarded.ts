/**
 * The network of a node with two guests and another node, in a namespace of its own, which others break while it runs. Run by
 * `unshare --net`. The argument names what is broken, as JSON: commands by name. Prints for each of them what was repaired, and
 * what is different from before.
 */
import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import { Node, Service } from '@vireo/api';
import { POD_NETWORK_ANNOTATION } from '@vireo/api/kinds/kubevirt/networkConfig.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { startTestServer } from '@vireo/apiserver/testing/server.ts';
import { type Log, systemClock } from '@vireo/kube';
import { useRunner } from '@vireo/network';
import { guardNetwork, tablesOf } from '../guard.ts';
import { startNetwork } from '../index.ts';

const shell = async (script: string): Promise<string> =>
  (await promisify(execFile)('sh', ['-ec', script], { maxBuffer: 2 ** 26 })).stdout;

await shell(
  'ip link set lo up; ip link add uplink type bridge; ip addr add 192.0.2.2/24 dev uplink; ip link set uplink up',
);
// As the agent does.
useRunner();
await using stack = new AsyncDisposableStack();
const home = await mkdtemp(join(tmpdir(), 'vireo-guarded-'));
stack.defer(() => rm(home, { recursive: true, force: true }));
const server = await startTestServer();
stack.defer(() => server.close());
const { client } = server;
const info = { kubeletVersion: 'v1.33.0+vireo', architecture: 'amd64', operatingSystem: 'linux' };
const nodeInfo = {
  ...info,
  ...{ machineID: '', systemUUID: '', bootID: '', kernelVersion: '', osImage: '', containerRuntimeVersion: '' },
  kubeProxyVersion: '',
};
async function makeNode(name: string, range: string, range6: string, address: string): Promise<void> {
  const node = await client.of(Node).create({
    metadata: { name, annotations: { [POD_NETWORK_ANNOTATION]: 'routed' } },
    spec: { podCIDR: range, podCIDRs: [range, range6] },
  });
  await client.of(Node).writeStatus(node, { nodeInfo, addresses: [{ type: 'InternalIP', address }] });
}
await makeNode('here', '10.244.0.0/24', 'fd00:244::/64', '192.0.2.2');
await makeNode('there', '10.244.1.0/24', 'fd00:244:0:1::/64', '192.0.2.3');

const repairs: string[] = [];
const cuts: string[] = [];
const recorder = {
  event: (_: unknown, _type: string, reason: string, message: string): void => {
    (reason === 'NetworkRepaired' ? repairs : cuts).push(message);
  },
};
const print: Log['warn'] = (message, _, fields) => console.error(message, fields);
const log: Log = { debug: () => {}, info: () => {}, warn: print, error: print };
const stop = new AbortController();
const context = { client, kubelet: client, home, node: 'here', address: '192.0.2.2', vni: 7, recorder, log };
const started = await startNetwork(
  {
    ...context,
    ...{ podRange: '10.244.0.0/24', podRange6: 'fd00:244::/64', isThere: () => true, clock: systemClock },
    config: {
      ...{ clusterCIDR: '10.244.0.0/16', serviceCIDR: '10.96.0.0/16', clusterDomain: 'cluster.local' },
      ...{ clusterCIDRv6: 'fd00:244::/56', serviceCIDRv6: 'fd00:96::/112' },
    },
  },
  stop.signal,
);
const { network, routed } = started;
if (!routed) throw new Error(network.describe().message);
const vmi = (name: string): Vmi =>
  ({
    metadata: { name, namespace: 'default', uid: `uid-${name}` },
    spec: { domain: { devices: { interfaces: [{ name: 'default', masquerade: {}, ports: [{ port: 80 }] }] } } },
  }) as unknown as Vmi;
const join1 = (name: string, mac: string) => network.join(vmi(name), 'default', mac);
const one = await join1('one', '02:00:00:00:00:01');
const device = one.kind === 'tap' ? one.device : '';
const { plan, ruleset, devices } = routed;
const guarded = guardNetwork(
  {
    ...{ node: 'here', tables: [tablesOf(plan, ruleset)], plan, devices, onFirewalls: () => {}, recorder, log },
    clock: systemClock,
  },
  stop.signal,
);

/** What the kernel has that matters, one line each. Numbers of devices and rules, and what the kernel makes up, are no part. */
const SNAPSHOT = `set +e; exec 2>&1
nft list ruleset | sed 's/# handle.*//' | tr -s ' ,{}' '\\n'
ip -o link | sed -E 's/^[0-9]+: //; s/ (qdisc|state|mode|group|qlen|link).*//; s/NO-CARRIER,|,LOWER_UP//g' | grep -v uplink
ip -o addr | sed -E 's/^[0-9]+: //; s/\\\\.*//' | grep -vE 'fe80::[0-9a-f]+:'
ip -4 route; ip -6 route | grep -v '^fe80::'
ip -4 neigh show nud permanent; ip -6 neigh show nud permanent
bridge fdb show dev vireo0-vx | grep dst
cd /proc/sys/net
grep . ipv4/ip_forward ipv6/conf/all/forwarding ipv4/conf/vt*/proxy_arp ipv4/conf/vt*/forwarding; true`;
const snapshot = async (): Promise<string[]> => (await shell(SNAPSHOT)).split('\n').sort();

const differences = (found: readonly string[], wanted: readonly string[]): string[] => [
  ...wanted.filter((line) => !found.includes(line)).map((line) => `missing: ${line}`),
  ...found.filter((line) => !wanted.includes(line)).map((line) => `too many: ${line}`),
];

/** Waits until others' changes are told, and the kernel is as before; gives up when a test would. */
async function repaired(before: readonly string[], known: number): Promise<string[]> {
  let left: string[] = [];
  for (let turn = 0; turn < 200; turn++) {
    left = differences(await snapshot(), before);
    if (repairs.length > known && left.length === 0) break;
    await delay(100);
  }
  return left;
}

// Watches have begun when they notice something.
const results: Record<string, unknown> = {};
const commands = JSON.parse(process.argv[2] ?? '{}') as Record<string, string>;
const replaced = (text: string): string =>
  text.replaceAll('TAP', device).replaceAll('ADDRESS', network.addressOf('uid-one') ?? '');
const intact = await snapshot();
for (let turn = 0; turn < 100 && repairs.length < 2; turn++) {
  await shell(replaced('nft flush set inet vireo0 taps; ip route flush dev TAP'));
  await delay(700);
}
await repaired(intact, 0);

// Our own changes are nobody else's.
repairs.length = 0;
await Promise.all([join1('two', '02:00:00:00:00:02'), join1('three', '02:00:00:00:00:03')]);
const { spec } = await client.of(Service).create({
  metadata: { name: 'web', namespace: 'default' },
  spec: { selector: { app: 'web' }, ports: [{ port: 80 }] },
});
const rulesHave = async (text: string): Promise<boolean> => (await shell('nft list ruleset')).includes(text);
while (!(await rulesHave(spec?.clusterIP ?? ''))) await delay(50);
await network.leave('uid-three');
// Rules come and go last.
await client.of(Node).delete('there');
while (await rulesHave('192.0.2.3')) await delay(50);
await makeNode('there', '10.244.1.0/24', 'fd00:244:0:1::/64', '192.0.2.3');
while (!(await rulesHave('192.0.2.3'))) await delay(50);

let known = 0;
for (const [name, command] of Object.entries(commands)) {
  const before = await snapshot();
  await shell(replaced(command));
  const left = await repaired(before, known);
  results[name] = { repairs: repairs.slice(known).map((text) => text.replaceAll(device, 'TAP')), left };
  known = repairs.length;
}
stop.abort();
await Promise.all([guarded, started.ended]);
console.log(JSON.stringify({ results, cuts: cuts.map((text) => text.replaceAll(device, 'TAP')) }));

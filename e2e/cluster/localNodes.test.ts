import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import type { Node } from '@vireo/api';
import { planNetwork } from '@vireo/cli/localNodes/plan.ts';
import { findNetwork } from '@vireo/network';
import { whyNotRoot } from '@vireo/network/testing/whyNotRoot.ts';
import { networkOwner } from '@vireo/node/network/owner.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Kubectl, kubectlFor } from '../kubectl.ts';
import { runVireo, startVireo, temporaryHome, type Vireo } from '../vireo.ts';
import { auditedWrites } from '../vms/auditedWrites.ts';
import { openConsole } from '../vms/console.ts';
import { guestsOf } from '../vms/leftovers.ts';
import { linux, vm } from '../vms/manifests.ts';

const isRoot = whyNotRoot === undefined;
const FIRST = hostname().toLowerCase();
const SECOND = `${FIRST}-2`;
const CONTROLLER = 'system:serviceaccount:kubevirt:kubevirt-controller';
const audit = auditedWrites();
let server: Vireo;
let kubectl: Kubectl;
let home: Awaited<ReturnType<typeof temporaryHome>>;

const start = async (): Promise<void> => {
  server = await startVireo({ home: home.home, vms: true, options: ['--nodes', '2', ...audit.options] });
  kubectl = kubectlFor(server.kubeconfig, join(home.home, 'kubectl-cache'));
};

beforeAll(async () => {
  home = await temporaryHome();
  await start();
}, 120_000);
afterAll(async () => {
  await server?.stop();
  await runVireo(['down', '--home', home.home, '--force']);
  await home?.remove();
  audit.remove();
}, 60_000);

/** A Linux guest on a node, which tells everybody who asks it by HTTP its name and theirs. */
const telling = (name: string, node: string): string => {
  const userData = `#cloud-config
write_files:
  - path: /srv/cgi-bin/who
    permissions: "0755"
    content: |
      #!/bin/sh
      printf 'Content-Type: text/plain\\r\\n\\r\\n'
      echo "${name} saw \${REMOTE_ADDR##*:}" | tr -d '[]'
runcmd:
  - httpd -p 8080 -h /srv
`;
  return linux(
    name,
    { cloudInitNoCloud: { userData } },
    {
      memory: '192Mi',
      graceSeconds: 0,
      spec: { nodeSelector: { 'kubernetes.io/hostname': node } },
    },
  );
};

const addressOf = (vmi: string): Promise<string> =>
  kubectl(`get vmi ${vmi} -o jsonpath={.status.interfaces[0].ipAddress}`);

/** The network namespaces of this home's nodes. */
async function namespaces(): Promise<string[]> {
  const { namespacePrefix } = planNetwork(home.home, [], '192.0.2.0/24');
  return (await readdir('/run/netns').catch(() => [])).filter((name) => name.startsWith(namespacePrefix));
}

it('a host with two nodes runs a VM on the second, and leaves it alone when the server is killed and comes back', async () => {
  const addresses = await kubectl('get nodes -o "jsonpath={.items[*].status.addresses[0].address}"');
  expect(new Set(addresses.split(' ')).size).toBe(2);
  const spec = { nodeSelector: { 'kubernetes.io/hostname': SECOND } };
  await kubectl.do('apply -f -', { input: vm('web', { guest: 'boot-sector', graceSeconds: 0, spec }) });
  // They boot meanwhile, for the next test.
  if (isRoot)
    for (const guest of [telling('near', FIRST), telling('far', SECOND)])
      await kubectl.do('apply -f -', { input: guest });
  await kubectl.do('wait vm/web --for=jsonpath={.status.printableStatus}=Running --timeout=90s');
  expect(await kubectl('get vmi web -o jsonpath={.status.nodeName}')).toBe(SECOND);
  const console = await openConsole(server.kubeconfig, 'web');
  await console.close();
  const [guest] = await guestsOf(home.home);

  await server.kill();
  await start();
  await kubectl.do('wait vm/web --for=condition=Ready --timeout=90s');
  expect((await guestsOf(home.home)).map(({ pid }) => pid)).toContain(guest?.pid);
  if (isRoot) expect(await namespaces()).toHaveLength(1);
}, 300_000);

describe.skipIf(whyNotRoot)('a VM', { meta: { whySkipped: whyNotRoot } }, () => {
  const nodeOf = (vmi: string): Promise<string> => kubectl(`get vmi ${vmi} -o jsonpath={.status.nodeName}`);
  const vireo = async (...words: string[]) => runVireo([...words, '--kubeconfig', server.kubeconfig]);

  it('migrates to the other node by command and by object, and not at all when that is cancelled', async () => {
    await kubectl.do('apply -f -', { input: vm('rover', { guest: 'boot-sector', graceSeconds: 0 }) });
    await kubectl.do('wait vm/rover --for=condition=Ready --timeout=90s');
    const [before, address] = [await nodeOf('rover'), await addressOf('rover')];
    expect(address).toMatch(/^\d+(\.\d+){3}$/);
    const { output, code } = await vireo('migrate', 'rover', '--wait');
    const other = before === FIRST ? SECOND : FIRST;
    expect({ output, code }).toEqual({
      output: expect.stringContaining(`from node ${before} to node ${other}`),
      code: 0,
    });
    expect(output).toMatch(
      /Pending\n {2}Scheduling\n {2}Scheduled\n {2}PreparingTarget\n {2}TargetReady\n {2}Running\n/,
    );
    expect([await nodeOf('rover'), await addressOf('rover')]).toEqual([other, address]);
    await kubectl.do('wait vm/rover --for=condition=Ready --timeout=30s');

    const migration = JSON.stringify({
      apiVersion: 'kubevirt.io/v1',
      kind: 'VirtualMachineInstanceMigration',
      metadata: { name: 'back' },
      spec: { vmiName: 'rover' },
    });
    await kubectl.do('create -f -', { input: migration });
    await kubectl.do('wait vmim/back --for=jsonpath={.status.phase}=Succeeded --timeout=60s');
    expect([await nodeOf('rover'), await addressOf('rover')]).toEqual([before, address]);
    const launchers = 'get pods -l vm.kubevirt.io/name=rover -o name';
    await vi.waitFor(async () => expect((await kubectl(launchers)).split('\n').filter(Boolean)).toHaveLength(1));

    // No node has this label: it waits until it is cancelled.
    await vireo('migrate', 'rover', '--addedNodeSelector', 'planet=mars');
    expect((await vireo('migrate-cancel', 'rover')).output).toContain('VM rover was scheduled to migrate-cancel');
    await vi.waitFor(async () => expect((await kubectl(launchers)).split('\n').filter(Boolean)).toHaveLength(1));
    expect(await nodeOf('rover')).toBe(before);
    await kubectl.do('delete vm rover --now --timeout=60s');
  }, 240_000);
});

it('a VM costs at most twelve writes until it runs on a node that has a process of its own', async () => {
  const spec = { nodeSelector: { 'kubernetes.io/hostname': SECOND } };
  await kubectl.do('apply -f -', { input: vm('counted', { guest: 'boot-sector', graceSeconds: 0, spec }) });
  const writes = await vi.waitUntil(() => audit.untilRunning('counted'), { timeout: 90_000, interval: 500 });
  expect(writes.length, writes.join(', ')).toBeLessThanOrEqual(12);
  // Whoever writes as a node is a node: the second one is no part of the server.
  expect(new Set(writes.map((write) => write.split(' by ')[1]))).toEqual(
    new Set(['kubernetes-admin', 'system:kube-scheduler', CONTROLLER, 'system:node', 'vireo:node']),
  );
  await kubectl.do('delete vm counted --now --timeout=60s');
}, 180_000);

describe.skipIf(whyNotRoot)('guests of two nodes', { meta: { whySkipped: whyNotRoot } }, () => {
  const service = JSON.stringify({
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'who' },
    spec: { type: 'NodePort', selector: { 'vm.kubevirt.io/name': 'far' }, ports: [{ port: 80, targetPort: 8080 }] },
  });

  /** Keeps all others from the guest of the second node. */
  const closed = JSON.stringify({
    apiVersion: 'networking.k8s.io/v1',
    kind: 'NetworkPolicy',
    metadata: { name: 'closed' },
    spec: { podSelector: { matchLabels: { 'vm.kubevirt.io/name': 'far' } }, policyTypes: ['Ingress'] },
  });

  it('meet by address and by the name of a Service unless a policy forbids it, and the host reaches them through either node', async () => {
    await kubectl.do('apply -f -', { input: service });
    await kubectl.do('wait vmi/near vmi/far --for=condition=AgentConnected --timeout=240s');
    const [near, far] = [await addressOf('near'), await addressOf('far')];
    const ask = async (guest: string, host: string): Promise<string> => {
      // wget itself would wait for minutes for somebody who does not answer.
      const command = ['--', 'timeout', '5', 'wget', '-qO-', `http://${host}/cgi-bin/who`];
      return (await runVireo(['exec', guest, '--kubeconfig', server.kubeconfig, ...command])).output.trim();
    };
    await vi.waitFor(async () => expect(await ask('near', `${far}:8080`)).toBe(`far saw ${near}`), { timeout: 30_000 });
    expect(await ask('far', `${near}:8080`)).toBe(`near saw ${far}`);
    expect(await ask('near', 'who')).toBe(`far saw ${near}`);
    await kubectl.do('apply -f -', { input: closed });
    const asked = (): Promise<string> => ask('near', `${far}:8080`);
    await vi.waitFor(async () => expect(await asked()).not.toContain('far saw'), { timeout: 30_000 });
    await kubectl.do('delete networkpolicy closed');
    await vi.waitFor(async () => expect(await asked()).toBe(`far saw ${near}`), { timeout: 30_000 });
    const { spec } = await kubectl.json<{ spec: { ports: { nodePort: number }[] } }>('get service who -o json');
    const nodePort = spec.ports[0]?.nodePort;
    const nodes = await kubectl.json<{ items: Node[] }>('get nodes -o json');
    for (const { status } of nodes.items) {
      const address = status?.addresses?.find(({ type }) => type === 'InternalIP')?.address;
      const answer = await fetch(`http://${address}:${nodePort}/cgi-bin/who`);
      expect(await answer.text()).toMatch(/^far saw /);
      const encrypted = status?.conditions?.find(({ type }) => type === 'GuestTrafficEncrypted');
      expect(encrypted?.reason).toMatch(/WireGuard/);
    }
  }, 300_000);
});

it('vireo down stops the guests of all nodes and removes their networks', async () => {
  const { code, output } = await runVireo(['down', '--home', home.home]);
  expect(output).toContain(`All data is kept in ${join(home.home, 'nodes', SECOND)}.`);
  expect(code).toBe(0);
  expect(await guestsOf(home.home)).toEqual([]);
  expect(await namespaces()).toEqual([]);
  if (isRoot) expect(await findNetwork(networkOwner(home.home))).toBeUndefined();
}, 120_000);

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Namespace, Node, Pod } from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLERS, install, startControllers } from '@vireo/controllers';
import { Client, EventRecorder, systemClock } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { NODES_IDENTITY } from '../identity.ts';
import { nodeClients } from '../testing/nodeClients.ts';
import { syncNode } from './syncNode.ts';

const NAMESPACE = 'shop';
const account = {
  username: CONTROLLERS,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'],
};
/** Each host has four CPUs, of which one is nobody's alone. */
const hostOf = (name: string, index: number) => ({
  name,
  architecture: 'amd64' as const,
  cpus: 4,
  memoryBytes: 16 * 2 ** 30,
  diskBytes: 100 * 2 ** 30,
  address: `192.0.2.${index}`,
  kernel: '6.1',
  osImage: 'Debian',
  machineId: name,
  bootId: name,
});

let server: TestServer;
let root: string;
const stop = new AbortController();
const ended: Promise<void>[] = [];
beforeAll(async () => {
  const [log, clock] = [memoryLog(), systemClock];
  root = await mkdtemp(join(tmpdir(), 'vireo-devices-'));
  server = await startTestServer();
  await install(server.client, { useEmulation: true, identities: [NODES_IDENTITY] });
  await server.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
  const client = new Client(server.inProcess(account));
  const controllers = startControllers({ client, log, architecture: 'amd64' }, stop.signal);
  await controllers.synced;
  ended.push(controllers.ended);
  for (const [index, name] of ['node-1', 'node-2'].entries()) {
    const clients = nodeClients(server, name);
    const context = {
      ...clients,
      recorder: new EventRecorder(clients.kubelet, { component: 'virt-handler', log }),
      host: hostOf(name, index + 1),
      kvm: { isUsable: false, reason: 'a test' },
      versions: { libvirt: '9.0.0', agent: 'v1' },
      dedicableCpus: 3,
      capabilities: async () => ({
        architecture: 'amd64',
        machineTypes: ['q35'],
        cpuModels: ['qemu64'],
        cpuFeatures: [],
      }),
      devices: { root, pollMs: 1_000 },
      log,
      clock,
    };
    ended.push((await syncNode(context, stop.signal)).ended);
  }
});
afterAll(async () => {
  stop.abort();
  await Promise.all(ended);
  await server?.close();
  await rm(root, { recursive: true, force: true });
});

async function createWithCpus(name: string, cores: number): Promise<void> {
  const cpu = { cores, dedicatedCpuPlacement: true };
  const devices = { autoattachPodInterface: false };
  await server.client.of(VirtualMachineInstance).create({
    metadata: { name, namespace: NAMESPACE },
    spec: { domain: { cpu, memory: { guest: '64Mi' }, machine: { type: 'q35' }, devices } },
  });
}
async function launcher(name: string): Promise<Pod> {
  const { items } = await server.client.of(Pod).list({ namespace: NAMESPACE });
  const found = items.find(({ metadata }) => metadata.name?.startsWith(`virt-launcher-${name}-`));
  if (!found) throw new Error(`${name} has no launcher`);
  return found;
}
const whenBound = (name: string): Promise<string> =>
  vi.waitFor(
    async () => {
      const node = (await launcher(name)).spec?.nodeName;
      if (!node) throw new Error(`${name} is not bound`);
      return node;
    },
    { timeout: 20_000 },
  );

it('a VM with dedicated CPUs goes to the node that has enough of them', async () => {
  const nodes = await server.client.of(Node).list();
  expect(nodes.items.map(({ status }) => status?.allocatable)).toEqual([
    expect.objectContaining({ cpu: '4', 'vireo.dev/dedicated-cpus': '3' }),
    expect.objectContaining({ cpu: '4', 'vireo.dev/dedicated-cpus': '3' }),
  ]);
  await createWithCpus('full', 3);
  const full = await whenBound('full');
  // That node has one CPU left, which nobody can have alone.
  await createWithCpus('one', 1);
  await createWithCpus('two', 2);
  const other = full === 'node-1' ? 'node-2' : 'node-1';
  expect(await Promise.all(['one', 'two'].map(whenBound))).toEqual([other, other]);
});

it('a VM for which no node has enough is not bound, and says why', async () => {
  await createWithCpus('late', 1);
  const scheduled = async () =>
    (await launcher('late')).status?.conditions?.find(({ type }) => type === 'PodScheduled')?.message;
  await vi.waitFor(
    async () => expect(await scheduled()).toContain('0/2 nodes are available: 2 Insufficient vireo.dev/dedicated-cpus'),
    { timeout: 20_000 },
  );
  expect((await launcher('late')).spec?.nodeName).toBeUndefined();
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Event, Namespace, Node, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLERS, install, startControllers } from '@vireo/controllers';
import { Client, EventRecorder, systemClock } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Host } from '../host/host.ts';
import { NODES_IDENTITY } from '../identity.ts';
import { nodeClients } from '../testing/nodeClients.ts';
import { type NodeSync, type NodeSyncContext, syncNode } from './syncNode.ts';

const host: Host = {
  name: 'node-1',
  architecture: 'amd64',
  cpus: 8,
  memoryBytes: 16 * 2 ** 30,
  diskBytes: 100 * 2 ** 30,
  address: '192.0.2.1',
  kernel: '6.1',
  osImage: 'Debian',
  machineId: 'm',
  bootId: 'b',
};
/** Hyper-V is known to no libvirt that comes with a distribution; this one does not know it either. */
const VIRT_TYPES = ['kvm', 'qemu'];

const account = (username: string) => ({
  username,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'],
});

let server: TestServer;
let root: string;
let context: NodeSyncContext;
let nodeSync: NodeSync;
let address6: string | undefined = '2001:db8::1';
/** The policies for dedicated CPUs that the agent was told. */
const cpuPolicies: string[] = [];
/** What the agent was told of other hosts that have become its node. */
const replaced: unknown[] = [];
const stop = new AbortController();
const ended: Promise<void>[] = [];
beforeAll(async () => {
  const log = memoryLog();
  const clock = systemClock;
  root = await mkdtemp(join(tmpdir(), 'vireo-devices-'));
  server = await startTestServer();
  await install(server.client, { useEmulation: false, identities: [NODES_IDENTITY] });
  await server.client.of(Namespace).create({ metadata: { name: 'shop' } });
  const controllers = startControllers(
    { client: new Client(server.inProcess(account(CONTROLLERS))), log, architecture: 'amd64' },
    stop.signal,
  );
  await controllers.synced;
  const clients = nodeClients(server, host.name);
  context = {
    ...clients,
    recorder: new EventRecorder(clients.kubelet, { component: 'virt-handler', log }),
    host,
    onReplaced: (error) => replaced.push(error),
    kvm: { isUsable: true, reason: '' },
    versions: { libvirt: '9.0.0', agent: 'v1' },
    endpoint: { address: host.address, port: 10250 },
    address6: async () => address6,
    dedicableCpus: 3,
    onCpuManagerPolicy: (policy) => cpuPolicies.push(policy),
    capabilities: async (virtType) => {
      if (!VIRT_TYPES.includes(virtType)) throw new Error(`does not support virt type '${virtType}'`);
      const cpuModels = virtType === 'kvm' ? ['EPYC'] : ['qemu64', 'max'];
      return { architecture: 'amd64', machineTypes: ['q35'], cpuModels, cpuFeatures: [] };
    },
    tsc: async () => ({ frequencyHz: 2_496_000_000, isScalable: true }),
    devices: { root, pollMs: 20 },
    log,
    clock,
  };
  nodeSync = await syncNode(context, stop.signal);
  ended.push(controllers.ended, nodeSync.ended);
});
afterAll(async () => {
  stop.abort();
  await Promise.all(ended);
  await server?.close();
  await rm(root, { recursive: true });
});

async function plugIn(path: string): Promise<void> {
  const file = join(root, path);
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, '');
}
const unplug = (path: string): Promise<void> => rm(join(root, path));

const until = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000 });
const nodeIs = (expected: object) =>
  until(async () => expect(await server.client.of(Node).get('node-1')).toMatchObject(expected));
const configure = (configuration: object) =>
  server.client.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, { namespace: 'kubevirt', type: 'merge' });
const events = async (): Promise<string[]> =>
  (await server.client.of(Event).list()).items.map(({ reason, message }) => `${reason}: ${message}`);
const vmi = (name: string) => server.client.of(VirtualMachineInstance).get(name, { namespace: 'shop' });
const launchers = async (name: string): Promise<Pod[]> =>
  (await server.client.of(Pod).list({ namespace: 'shop' })).items.filter(({ metadata }) =>
    metadata.name?.startsWith(`virt-launcher-${name}-`),
  );
const draftOf = (name: string) => ({
  metadata: { name, namespace: 'shop' },
  spec: { domain: { memory: { guest: '64Mi' }, machine: { type: 'q35' }, devices: { autoattachPodInterface: false } } },
});

it('a Node has an address of each family, IPv4 first, and follows the host to another one', async () => {
  const addresses = (...all: string[]) => ({
    status: { addresses: all.map((address) => ({ type: 'InternalIP', address })) },
  });
  const beat = () =>
    server.client.of(Node).patch('node-1', { metadata: { annotations: { beat: `${address6}` } } }, { type: 'merge' });
  await nodeIs(addresses('192.0.2.1', '2001:db8::1'));
  address6 = '2001:db8::2';
  await beat();
  await nodeIs(addresses('192.0.2.1', '2001:db8::2'));
  address6 = undefined;
  await beat();
  await nodeIs(addresses('192.0.2.1'));
});

it('a Node has the policy for dedicated CPUs that it is asked for, and says when', async () => {
  const annotation = 'harvesterhci.io/cpu-manager-update-status';
  const ask = (policy: string) => {
    const annotations = { [annotation]: JSON.stringify({ status: 'requested', policy }) };
    return server.client.of(Node).patch('node-1', { metadata: { annotations } }, { type: 'merge' });
  };
  const has = (policy: string) =>
    nodeIs({
      metadata: {
        labels: { 'kubevirt.io/cpumanager': String(policy === 'static') },
        annotations: { [annotation]: JSON.stringify({ status: 'success', policy }) },
      },
      status: {
        capacity: { 'vireo.dev/dedicated-cpus': '3' },
        allocatable: { 'vireo.dev/dedicated-cpus': policy === 'static' ? '3' : '0' },
      },
    });
  await nodeIs({ metadata: { labels: { 'kubevirt.io/cpumanager': 'true' } } });
  await ask('none');
  await has('none');
  expect(cpuPolicies.at(-1)).toBe('none');
  await ask('static');
  await has('static');
  expect(cpuPolicies.at(-1)).toBe('static');
});

describe('a node without the device of its hypervisor', () => {
  it('says so', async () => {
    await nodeIs({
      status: {
        capacity: { 'devices.kubevirt.io/kvm': '1k' },
        allocatable: { 'devices.kubevirt.io/kvm': '0' },
        conditions: expect.arrayContaining([
          expect.objectContaining({
            type: 'HypervisorReady',
            status: 'False',
            message: 'kvm needs devices.kubevirt.io/kvm: /dev/kvm does not exist',
          }),
        ]),
      },
    });
    await until(async () => {
      expect(await events()).toContain(
        'DeviceNotAvailable: devices.kubevirt.io/kvm is not available on node node-1: /dev/kvm does not exist. VMs that need it stay Pending',
      );
      expect(await events()).toContain(
        'HypervisorNotAvailable: node node-1 cannot run new VMs: the cluster uses kvm, but kvm needs devices.kubevirt.io/kvm: /dev/kvm does not exist',
      );
    });
    const { metadata } = await server.client.of(Node).get('node-1');
    expect(metadata.labels).not.toHaveProperty(['hypervisor.node.kubevirt.io/name']);
    expect(metadata.labels).toHaveProperty(['cpu-model.node.kubevirt.io/max'], 'true');
  });

  it('lets VMs wait, with the reason', async () => {
    await server.client.of(VirtualMachineInstance).create(draftOf('waits'));
    await until(async () => {
      const { status } = await vmi('waits');
      const condition = status?.conditions?.find(({ type }) => type === 'PodScheduled');
      expect(condition?.message).toContain('devices.kubevirt.io/kvm is not available on node-1');
    });
  });

  it('takes them when the device is there, and labels itself anew', async () => {
    await plugIn('/dev/kvm');
    await until(async () => expect((await launchers('waits'))[0]?.spec?.nodeName).toBe('node-1'));
    await nodeIs({
      metadata: {
        labels: {
          'hypervisor.node.kubevirt.io/name': 'kvm',
          'hypervisor.node.kubevirt.io/virt-type': 'kvm',
          'cpu-model.node.kubevirt.io/EPYC': 'true',
          'cpu-timer.node.kubevirt.io/tsc-frequency': '2496000000',
        },
      },
      status: { allocatable: { 'devices.kubevirt.io/kvm': '1k' } },
    });
    const { metadata } = await server.client.of(Node).get('node-1');
    expect(metadata.labels).not.toHaveProperty(['cpu-model.node.kubevirt.io/max']);
    await until(async () =>
      expect(await events()).toContain('DeviceAvailable: devices.kubevirt.io/kvm is available on node node-1 again'),
    );
  });
});

describe('a node whose cluster', () => {
  it('lets fewer VMs share a device, offers fewer', async () => {
    await configure({ virtualMachineInstancesPerNode: 42 });
    await nodeIs({ status: { allocatable: { 'devices.kubevirt.io/kvm': '42' } } });
  });

  it('chooses another hypervisor, offers the devices of that one', async () => {
    await plugIn('/dev/mshv');
    await configure({
      hypervisorConfiguration: { name: 'hyperv-layered' },
      developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
    });
    await nodeIs({ status: { allocatable: { 'devices.kubevirt.io/mshv': '42' } } });
    const { metadata, status } = await server.client.of(Node).get('node-1');
    expect(status?.allocatable).not.toHaveProperty(['devices.kubevirt.io/kvm']);
    // The device is there; libvirt has the last word.
    expect(metadata.labels).not.toHaveProperty(['hypervisor.node.kubevirt.io/name']);
    expect(status?.conditions?.find(({ type }) => type === 'HypervisorReady')?.message).toBe(
      "does not support virt type 'hyperv'",
    );
  });

  it('chooses none, offers those of kvm; VMs that came before stay', async () => {
    await configure({ hypervisorConfiguration: null });
    await nodeIs({
      metadata: { labels: { 'hypervisor.node.kubevirt.io/name': 'kvm' } },
      status: { allocatable: { 'devices.kubevirt.io/kvm': '42' } },
    });
    expect((await launchers('waits'))[0]?.metadata.deletionTimestamp).toBeUndefined();
  });

  it('emulates, offers nothing that emulation does without', async () => {
    await configure({ developerConfiguration: { useEmulation: true } });
    await nodeIs({ metadata: { labels: { 'hypervisor.node.kubevirt.io/name': 'qemu' } } });
    await until(async () => {
      const { status } = await server.client.of(Node).get('node-1');
      const devices = Object.keys(status?.allocatable ?? {}).filter((name) => name.startsWith('devices'));
      expect(devices).toEqual(['devices.kubevirt.io/tun']);
    });
  });
});

describe('a device that goes', () => {
  it('is not given away while it is gone', async () => {
    await configure({ developerConfiguration: { useEmulation: false } });
    await nodeIs({ status: { allocatable: { 'devices.kubevirt.io/kvm': '42' } } });
    await unplug('/dev/kvm');
    await nodeIs({
      status: { capacity: { 'devices.kubevirt.io/kvm': '42' }, allocatable: { 'devices.kubevirt.io/kvm': '0' } },
    });
    await plugIn('/dev/kvm');
    await nodeIs({ status: { allocatable: { 'devices.kubevirt.io/kvm': '42' } } });
  });

  it('and that nobody needs, is not spoken of', async () => {
    await plugIn('/dev/vhost-vsock');
    await nodeIs({ status: { allocatable: { 'devices.kubevirt.io/vhost-vsock': '42' } } });
    await unplug('/dev/vhost-vsock');
    await until(async () => {
      const { status } = await server.client.of(Node).get('node-1');
      expect(status?.allocatable).not.toHaveProperty(['devices.kubevirt.io/vhost-vsock']);
    });
  });
});

describe('a node that somebody', () => {
  it('labels otherwise, labels itself again', async () => {
    const labels = { 'hypervisor.node.kubevirt.io/name': null, 'cpu-model.node.kubevirt.io/Made-Up': 'true' };
    await server.client.of(Node).patch('node-1', { metadata: { labels } }, { type: 'merge' });
    await nodeIs({ metadata: { labels: { 'hypervisor.node.kubevirt.io/name': 'kvm' } } });
    const { metadata } = await server.client.of(Node).get('node-1');
    expect(metadata.labels).not.toHaveProperty(['cpu-model.node.kubevirt.io/Made-Up']);
  });

  it('removes, comes back', async () => {
    const { metadata } = await server.client.of(Node).get('node-1');
    await server.client.of(Node).delete('node-1');
    await nodeIs({
      metadata: { labels: { 'kubevirt.io/schedulable': 'true', 'hypervisor.node.kubevirt.io/name': 'kvm' } },
      status: { allocatable: { 'devices.kubevirt.io/kvm': '42' } },
    });
    expect((await server.client.of(Node).get('node-1')).metadata.uid).not.toBe(metadata.uid);
  });
});

describe('the Node of another host', () => {
  const nodeInfoOf = async () => (await server.client.of(Node).get('node-1')).status?.nodeInfo;
  const become = async (machineID: string) => {
    const status = { nodeInfo: { ...(await nodeInfoOf()), machineID } };
    await server.client.of(Node).patchStatus('node-1', { status }, { type: 'merge' });
  };

  it('is not taken over by a host that joins under its name', async () => {
    const other = { ...context, host: { ...host, machineId: 'other' } };
    await expect(syncNode(other, stop.signal)).rejects.toThrow('the Node node-1 is that of another host');
    expect(await nodeInfoOf()).toMatchObject({ machineID: 'm' });
  });

  it('is left alone by a host that was that node before, which starts no guests any more', async () => {
    expect(nodeSync.refusal()).toBeUndefined();
    await become('other');
    await until(async () => expect(nodeSync.refusal()?.message).toContain('its machine ID is other'));
    expect(nodeSync.areStartsHeld()).toBe(true);
    await until(async () => expect(replaced).toHaveLength(1));
    await become('m');
    await until(async () => expect(nodeSync.areStartsHeld()).toBe(false));
  });
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import http2 from 'node:http2';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Node } from '@vireo/api';
import { KUBELET_GROUP, kubeletUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { SCHEDULABLE_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { install } from '@vireo/controllers';
import { Client } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { runDevicePlugins } from './index.ts';
import { TestKubelet } from './testing/kubelet.ts';
import { makeTree, pciDevice } from './testing/sysfs.ts';

const KVM = 'devices.kubevirt.io/kvm';
const VSOCK = 'devices.kubevirt.io/vhost-vsock';
let server: TestServer;
let directory: string;
let root: string;
let kubelet: TestKubelet;
let ended: Promise<void>;
const log = memoryLog();
const stop = new AbortController();
const device = async (path: string): Promise<void> => {
  await mkdir(dirname(join(root, path)), { recursive: true });
  await writeFile(join(root, path), '');
};

const kubeletOf = (name: string) => ({
  username: kubeletUser(name),
  groups: [KUBELET_GROUP, 'system:authenticated'],
});

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'vireo-kubelet-'));
  root = await mkdtemp(join(tmpdir(), 'vireo-dev-'));
  await Promise.all(['/dev/kvm', '/dev/net/tun', '/dev/vhost-net'].map(device));
  server = await startTestServer();
  await install(server.client, { useEmulation: false });
  await server.client.of(Node).create({
    metadata: { name: 'worker-1', labels: { 'kubernetes.io/hostname': 'worker-1.example.com', kept: 'yes' } },
  });
  // It comes later than the plug-ins: a host boots in any order.
  kubelet = new TestKubelet(directory);
  ended = runDevicePlugins(
    {
      // With the kubelet's own credentials, by which it can write no other Node.
      client: new Client(server.inProcess(kubeletOf('worker-1'))),
      host: { name: 'worker-1', architecture: 'amd64' },
      capabilities: async () => ({
        architecture: 'amd64',
        machineTypes: ['q35'],
        cpuModels: ['EPYC'],
        cpuFeatures: [],
      }),
      directory,
      devices: { root, pollMs: 5 },
      lookMs: 5,
      log,
    },
    stop.signal,
  );
  await eventually(() => log.entries.some(({ message }) => message.startsWith('cannot register with the kubelet')));
  await kubelet.start();
  await eventually(() => kubelet.allocatable(KVM) === 1000);
});
afterAll(async () => {
  stop.abort();
  await ended;
  await kubelet?.stop();
  await server?.close();
  await Promise.all([directory, root].map((each) => rm(each, { recursive: true, force: true })));
});

const pluginOf = (resource: string) => kubelet.resources.get(resource)!.plugin;

describe('beside a kubelet', () => {
  it('each device of VMs is a resource with a socket of its own, and optional ones only while they are there', async () => {
    await eventually(() => kubelet.resources.size === 3);
    expect([...kubelet.resources].map(([name, { endpoint }]) => [name, endpoint]).sort()).toEqual([
      [KVM, 'kubevirt-kvm.sock'],
      ['devices.kubevirt.io/tun', 'kubevirt-tun.sock'],
      ['devices.kubevirt.io/vhost-net', 'kubevirt-vhost-net.sock'],
    ]);
    await device('/dev/vhost-vsock');
    await eventually(() => kubelet.allocatable(VSOCK) === 1000);
    await rm(join(root, '/dev/vhost-vsock'));
    await eventually(() => kubelet.allocatable(VSOCK) === 0);
  });

  it('a device that goes away is unhealthy, and counted; it is healthy when it is back', async () => {
    await rm(join(root, '/dev/kvm'));
    await eventually(() => kubelet.allocatable(KVM) === 0);
    expect(kubelet.capacity(KVM)).toBe(1000);
    await expect(pluginOf(KVM).allocate({ containerRequests: [{ devicesIds: ['kvm0'] }] })).rejects.toThrow(
      '[failed_precondition] devices.kubevirt.io/kvm cannot be used now: /dev/kvm does not exist',
    );
    await device('/dev/kvm');
    await eventually(() => kubelet.allocatable(KVM) === 1000);
  });

  it('every container gets the device', async () => {
    const { containerResponses } = await pluginOf(KVM).allocate({
      containerRequests: [{ devicesIds: ['kvm0'] }, { devicesIds: ['kvm7', 'kvm999'] }],
    });
    const kvm = { hostPath: '/dev/kvm', containerPath: '/dev/kvm', permissions: 'mrw' };
    expect(containerResponses).toMatchObject([{ devices: [kvm] }, { devices: [kvm] }]);
    await pluginOf(KVM).preStartContainer({ devicesIds: ['kvm0'] });
  });

  it.each(['kvm1000', 'tun0', ''])('the device "%s" is refused', async (id) => {
    await expect(
      pluginOf(KVM).allocate({ containerRequests: [{ devicesIds: ['kvm1'] }, { devicesIds: [id] }] }),
    ).rejects.toThrow(`[invalid_argument] devices.kubevirt.io/kvm has no device "${id}"`);
  });

  it('a kubelet that starts anew, and removes the sockets, is registered with again', async () => {
    const before = kubelet.registrations;
    await kubelet.stop();
    await kubelet.start();
    await eventually(() => kubelet.resources.size === 3 && kubelet.allocatable(KVM) === 1000);
    expect(kubelet.registrations).toBe(before + 3);
  });

  it('the number of VMs of a node is the number of devices', async () => {
    const settings = { spec: { configuration: { virtualMachineInstancesPerNode: 10 } } };
    await server.client.of(KubeVirt).patch('kubevirt', settings, { namespace: 'kubevirt', type: 'merge' });
    await eventually(() => kubelet.allocatable(KVM) === 10);
  });

  it('devices of the host that guests may use are resources by the names that the cluster gives them', async () => {
    await makeTree(root, pciDevice('0000:65:00.0', '10DE:1EB8', 12, 'vfio-pci', 1));
    const resource = 'nvidia.com/T4';
    const permit = (pciHostDevices: object[]) => {
      const settings = { spec: { configuration: { permittedHostDevices: { pciHostDevices } } } };
      return server.client.of(KubeVirt).patch('kubevirt', settings, { namespace: 'kubevirt', type: 'merge' });
    };
    await permit([{ pciVendorSelector: '10DE:1EB8', resourceName: resource }]);
    await eventually(() => kubelet.allocatable(resource) === 1);
    expect(kubelet.resources.get(resource)?.endpoint).toBe('kubevirt-nvidia.com-T4.sock');
    const { containerResponses } = await pluginOf(resource).allocate({ containerRequests: [{ devicesIds: ['12'] }] });
    expect(containerResponses).toMatchObject([
      {
        envs: { PCI_RESOURCE_NVIDIA_COM_T4: '0000:65:00.0' },
        devices: [{ hostPath: '/dev/vfio/vfio' }, { hostPath: '/dev/vfio/12', permissions: 'mrw' }],
      },
    ]);
    await rm(join(root, '/dev/vfio/12'));
    await eventually(() => kubelet.allocatable(resource) === 0);
    expect(kubelet.capacity(resource)).toBe(1);
    await permit([]);
  });

  it("the node has the labels of its hypervisor, keeps the kubelet's, and gets no VMs", async () => {
    await vi.waitFor(async () => {
      const { metadata, status } = await server.client.of(Node).get('worker-1');
      expect(metadata.labels).toMatchObject({
        'cpu-model.node.kubevirt.io/EPYC': 'true',
        'kubernetes.io/hostname': 'worker-1.example.com',
        kept: 'yes',
        [SCHEDULABLE_LABEL]: 'false',
      });
      expect(metadata.labels).not.toHaveProperty('kubernetes.io/arch');
      // These are the kubelet's to count.
      expect(status?.capacity ?? {}).toEqual({});
    });
  });

  it('the bytes on the wire are those of gRPC', async () => {
    const session = http2.connect('http://localhost', {
      createConnection: () => connect(join(directory, 'kubevirt-tun.sock')),
    });
    const stream = session.request({
      ':method': 'POST',
      ':path': '/v1beta1.DevicePlugin/Allocate',
      'content-type': 'application/grpc',
      te: 'trailers',
      'user-agent': 'grpc-go/1.72.2',
    });
    // container_requests (1) { devices_ids (1) "tun0" }, after a flag and the length.
    stream.end(Buffer.concat([Buffer.from([0, 0, 0, 0, 8, 0x0a, 6, 0x0a, 4]), Buffer.from('tun0')]));
    const chunks: Buffer[] = [];
    stream.on('data', (chunk: Buffer) => chunks.push(chunk));
    const trailers = await new Promise<http2.IncomingHttpHeaders>((resolve) => stream.once('trailers', resolve));
    session.destroy();
    expect(trailers['grpc-status']).toBe('0');
    const path = '/dev/net/tun';
    const field = (number: number, bytes: Buffer): Buffer =>
      Buffer.concat([Buffer.from([(number << 3) | 2, bytes.length]), bytes]);
    const spec = Buffer.concat([path, path, 'mrw'].map((text, index) => field(index + 1, Buffer.from(text))));
    const message = field(1, field(3, spec));
    expect(Buffer.concat(chunks)).toEqual(Buffer.concat([Buffer.from([0, 0, 0, 0, message.length]), message]));
  });
});

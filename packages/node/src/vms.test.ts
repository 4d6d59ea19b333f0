import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { Event, Node, type Persisted, Pod } from '@vireo/api';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import type { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { isRunning } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { bootSectorFarewell, bootSectorMarker } from './guestImage/bootSectorGuest.ts';
import { guestProcesses } from './shutdown/guestProcesses.ts';
import { ApiClient } from './testing/apiClient.ts';
import { NAMESPACE, startTestCluster, type TestCluster } from './testing/cluster.ts';
import { isKvmRequired } from './testing/kvm.ts';
import { processRights } from './testing/processStatus.ts';
import { bootSectorVm } from './testing/vms.ts';
import { vmiUid } from './vmi/launcher.ts';

let cluster: TestCluster;
let api: ApiClient;

beforeAll(async () => {
  cluster = await startTestCluster();
  api = await ApiClient.listen(() => cluster.node, cluster.layout.run);
});
afterAll(async () => {
  await api?.[Symbol.asyncDispose]();
  await cluster?.close();
});

const condition = ({ status }: Pick<VirtualMachineInstance, 'status'>, type: string) =>
  status?.conditions?.find((each) => each.type === type);
const isPaused = (vmi: VirtualMachineInstance): boolean => condition(vmi, 'Paused')?.status === 'True';

const create = (...args: Parameters<typeof bootSectorVm>) =>
  cluster.admin.of(VirtualMachine).create(bootSectorVm(...args));

const run = (name: string, runStrategy: string) =>
  cluster.admin.of(VirtualMachine).patch(name, { spec: { runStrategy } }, { namespace: NAMESPACE, type: 'merge' });

async function launcherOf(vmi: VirtualMachineInstance): Promise<Persisted<Pod>> {
  const { items } = await cluster.admin.of(Pod).list({ namespace: NAMESPACE });
  const pod = items.find((each) => vmiUid(each) === vmi.metadata.uid);
  if (!pod) throw new Error(`${vmi.metadata.name} has no launcher`);
  return pod;
}

const logOf = (pod: Pod, query = '') => api.get(`/containerLogs/${NAMESPACE}/${pod.metadata.name}/compute${query}`);

/** What is left of VMs on this node. */
async function remains(): Promise<unknown> {
  const { vmis, run, libvirt } = cluster.layout;
  const list = (directory: string) => readdir(directory).catch(() => []);
  return {
    files: await list(vmis),
    sockets: await list(join(run, 'machines')),
    definitions: (await list(join(libvirt, 'etc/qemu'))).filter((name) => name.endsWith('.xml')),
    logs: await list(join(libvirt, cluster.layout.isRoot ? 'log/qemu' : 'cache/libvirt/qemu/log')),
    guests: await cluster.guests(),
  };
}
/** Files may go a moment after the objects: a launcher that has ended is deleted without asking the node. */
const nothingIsLeft = () =>
  vi.waitFor(
    async () => expect(await remains()).toEqual({ files: [], sockets: [], definitions: [], logs: [], guests: [] }),
    { timeout: 20_000 },
  );

it('the Node object has the labels, conditions and devices of the host', async () => {
  const node = await cluster.admin.of(Node).get('node-1');
  expect(node.metadata.labels).toMatchObject({
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': 'node-1',
    'kubevirt.io/schedulable': 'true',
    'machine-type.node.kubevirt.io/q35': 'true',
  });
  expect(node.status?.conditions?.map(({ type, status }) => `${type}=${status}`)).toEqual(
    expect.arrayContaining(['Ready=True', `SoftwareEmulation=${isKvmRequired ? 'False' : 'True'}`]),
  );
  const devices = Object.keys(node.status?.allocatable ?? {});
  expect(devices.includes('devices.kubevirt.io/kvm')).toBe(isKvmRequired);
});

describe('the life of a VM', () => {
  it("runs, and its launcher pod looks like KubeVirt's", async () => {
    cluster.writes.length = 0;
    await create('life');
    const vmi = await cluster.vmis.until('life', isRunning);
    expect(vmi.status).toMatchObject({
      nodeName: 'node-1',
      machine: { type: expect.stringMatching(/^pc-q35-/) },
      interfaces: [{ name: 'default', infoSource: 'domain', linkState: 'up', podInterfaceName: 'eth0' }],
      volumeStatus: [{ name: 'root', target: 'vda' }],
      memory: { guestAtBoot: '64Mi', guestCurrent: '64Mi', guestRequested: '64Mi' },
      qosClass: 'Burstable',
    });
    expect(condition(vmi, 'LiveMigratable')).toMatchObject({ status: 'False', reason: 'InterfaceNotLiveMigratable' });
    const pod = await launcherOf(vmi);
    expect(pod.status).toMatchObject({ phase: 'Running', containerStatuses: [{ name: 'compute', ready: true }] });
    await cluster.vms.until('life', ({ status }) => status?.printableStatus === 'Running');
    expect(cluster.writes).toEqual(['PATCH pods/status', 'PATCH virtualmachineinstances']);
  });

  it('runs as a user of its own, without privileges', async () => {
    const { status } = await cluster.vmis.until('life', isRunning);
    const [guest] = await guestProcesses(cluster.layout);
    const { uids, gids, groups, ...rights } = await processRights(guest?.pid ?? 0);
    const own = process.getuid?.() ?? 0;
    if (own === 0) expect(status?.runtimeUser).toBeGreaterThan(1_000_000);
    else expect(status?.runtimeUser).toBe(own);
    expect(uids).toEqual(Array.from({ length: 4 }, () => status?.runtimeUser));
    if (own === 0) expect([...groups, ...gids]).not.toContain(0);
    expect(rights).toEqual({ permitted: 0n, effective: 0n, noNewPrivileges: true, hasSeccompFilter: true });
  });

  it('answers on its console', async () => {
    const stream = await api.open('life', 'console');
    stream.send('hello');
    await stream.until('hello');
    const other = await api.open('life', 'console');
    expect(await stream.closed).toEqual({ code: 1000, reason: 'taken over' });
    other.send('again');
    await other.until('again');
    other.socket.close();
    await other.closed;
  });

  it('has a screen', async () => {
    const stream = await api.open('life', 'vnc');
    await stream.until('RFB 003.008');
    stream.socket.close();
    const { type, body } = await api.ask('GET', 'life', 'screenshot');
    expect(type).toBe('image/png');
    expect(body.subarray(1, 4).toString()).toBe('PNG');
  });

  it('has a log', async () => {
    const pod = await launcherOf(await cluster.vmis.until('life'));
    const { body } = await logOf(pod);
    expect(body.toString()).toContain(bootSectorMarker);
    expect((await logOf(pod, '?tailLines=0')).body.toString()).toBe('');
  });

  it('shows its log to kubectl', async () => {
    const { server, node } = cluster;
    server.server.api.nodes.set(node.name, node.connection());
    const { metadata } = await launcherOf(await cluster.vmis.until('life'));
    const path = `/api/v1/namespaces/${NAMESPACE}/pods/${metadata.name}/log`;
    const transport = await server.overHttp();
    const { body } = await transport.call({ method: 'GET', path });
    expect(String(body)).toContain(bootSectorMarker);
  });

  it('pauses and goes on', async () => {
    expect(await api.ask('PUT', 'life', 'pause')).toMatchObject({ status: 200 });
    await cluster.vmis.until('life', isPaused);
    const { metadata } = await launcherOf(await cluster.vmis.until('life'));
    const isReady = (status: string) => (pod: Pod) =>
      pod.status?.conditions?.some((each) => each.type === 'Ready' && each.status === status) ?? false;
    await cluster.pods.until(metadata.name, isReady('False'));
    expect(await api.ask('PUT', 'life', 'unpause')).toMatchObject({ status: 200 });
    await cluster.vmis.until('life', (vmi) => !isPaused(vmi));
    await cluster.pods.until(metadata.name, isReady('True'));
  });

  it('starts over when it is reset', async () => {
    const stream = await api.open('life', 'console');
    expect(await api.ask('PUT', 'life', 'reset')).toMatchObject({ status: 200 });
    await stream.until(bootSectorMarker);
    stream.socket.close();
  });

  it('lets connections in, one by one', async () => {
    const stream = await api.open('life', 'portforward/22/tcp');
    stream.socket.close();
    const datagrams = await api.open('life', 'portforward/53/udp');
    datagrams.send('nobody listens');
    datagrams.socket.close();
    await datagrams.closed;
    await expect(api.open('life', 'portforward/53/icmp')).rejects.toThrow(/icmp port 53 of .* shop\/life/);
  });

  it('starts over when it is rebooted', async () => {
    const stream = await api.open('life', 'console');
    expect(await api.ask('PUT', 'life', 'softreboot')).toMatchObject({ status: 200 });
    await stream.until(bootSectorFarewell);
    await stream.until(bootSectorMarker);
    stream.socket.close();
  });

  it('says why the agent is not there', async () => {
    const { status, body } = await api.ask('GET', 'life', 'guestosinfo');
    expect(status).toBe(500);
    expect(JSON.parse(body.toString()).message).toMatch(/guestosinfo of shop\/life: .*agent/i);
  });

  it('shuts down in order, and leaves nothing behind', async () => {
    const vmi = await cluster.vmis.until('life');
    const log = logOf(await launcherOf(vmi), '?follow=true');
    await run('life', 'Halted');
    await cluster.vmis.gone('life');
    expect((await log).body.toString()).toContain(bootSectorFarewell);
    await cluster.vms.until('life', ({ status }) => status?.printableStatus === 'Stopped');
    await nothingIsLeft();
  });

  it('starts again', async () => {
    await run('life', 'Always');
    await cluster.vmis.until('life', isRunning);
  });

  it('comes back after its launcher was deleted', async () => {
    const { metadata } = await cluster.vmis.until('life');
    const pod = await launcherOf(await cluster.vmis.until('life'));
    await cluster.admin.of(Pod).delete(pod.metadata.name, { namespace: NAMESPACE });
    await cluster.vmis.until('life', (vmi) => isRunning(vmi) && vmi.metadata.uid !== metadata.uid);
  });

  it('is gone when it is deleted', () => remove('life'));

  it('left events of what happened', async () => {
    const { items } = await cluster.admin.of(Event).list({ namespace: NAMESPACE });
    const events = items.map(({ reason, message }) => `${reason}: ${message}`);
    expect(events).toEqual(
      expect.arrayContaining([
        'Created: VirtualMachineInstance defined.',
        'Started: VirtualMachineInstance started.',
        'ShuttingDown: Signaled Graceful Shutdown',
        'Stopped: The VirtualMachineInstance was shut down.',
      ]),
    );
  });
});

async function remove(name: string): Promise<void> {
  await cluster.admin.of(VirtualMachine).delete(name, { namespace: NAMESPACE });
  await cluster.vms.gone(name);
  await nothingIsLeft();
}

describe('a pod that is no launcher', () => {
  const pods = () => cluster.admin.of(Pod);
  const strange = async (metadata: Pod['metadata']) => {
    const spec = { nodeName: cluster.node.name, containers: [{ name: 'compute', image: 'x' }] };
    return pods().create({ metadata: { namespace: 'default', ...metadata }, spec });
  };
  const gone = ({ metadata: { name, namespace } }: Persisted<Pod>) =>
    vi.waitFor(() => expect(pods().get(name, { namespace })).rejects.toMatchObject({ code: 404 }), { timeout: 20_000 });

  it('says why nothing runs, and goes when it is to go', async () => {
    const plain = await strange({ name: 'plain' });
    await vi.waitFor(async () => {
      const { status } = await pods().get('plain', { namespace: 'default' });
      const { reason, message } = status?.containerStatuses?.[0]?.state?.waiting ?? {};
      expect([status?.phase, reason]).toEqual(['Pending', 'NotALauncherPod']);
      expect(message).toContain('create a VirtualMachine');
    });
    await vi.waitFor(async () => {
      const { items } = await cluster.admin.of(Event).list({ namespace: 'default' });
      const own = items.filter(({ involvedObject }) => involvedObject.uid === plain.metadata.uid);
      expect(own.map(({ type, reason }) => [type, reason])).toContainEqual(['Warning', 'NotALauncherPod']);
    });
    await pods().delete('plain', { namespace: 'default' });
    await gone(plain);
  });

  it('but has the labels of one has no power over the VM of another user', async () => {
    await create('victim');
    const { metadata } = await cluster.vmis.until('victim', isRunning);
    const uid = metadata.uid;
    const forged = await strange({
      name: 'forged',
      labels: { 'kubevirt.io/created-by': uid },
      ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'mine', uid }],
    });
    const { body } = await api.get('/containerLogs/default/forged/compute');
    expect(body.toString()).not.toContain(bootSectorMarker);
    // The garbage collector removes it, for the owner that it names is elsewhere; then the node has dealt with it.
    await gone(forged);
    const after = await cluster.vmis.until('victim');
    expect([after.metadata.uid, after.status?.phase]).toEqual([uid, 'Running']);
    expect(await cluster.guests()).toHaveLength(1);
    await remove('victim');
  });
});

it('a VM that starts paused waits', async () => {
  await create('held', { startStrategy: 'Paused' });
  await cluster.vmis.until('held', (vmi) => isRunning(vmi) && isPaused(vmi));
  await remove('held');
});

it('a guest that does not hear its power button is switched off', async () => {
  const volumes = [{ name: 'root', emptyDisk: { capacity: '1Mi' } }];
  await create('deaf', { volumes, terminationGracePeriodSeconds: 1 });
  await cluster.vmis.until('deaf', isRunning);
  const ended = cluster.vmis.until('deaf', ({ status }) => status?.phase === 'Failed');
  await remove('deaf');
  await ended;
});

it('a VM whose image does not exist names it', async () => {
  await create('bad', { volumes: [{ name: 'root', containerDisk: { image: 'vireo/such:image' } }] });
  const vm = await cluster.vms.until('bad', ({ status }) => status?.printableStatus === 'ErrImagePull');
  expect(condition(vm as never, 'Synchronized')?.message).toContain('"vireo/such:image"');
  await remove('bad');
});

it('a VM with a bus that does not exist fails and says why', async () => {
  const { domain } = bootSectorVm('odd').spec.template.spec ?? {};
  const devices = { disks: [{ name: 'root', disk: { bus: 'none-such' } }] };
  await create('odd', { domain: { ...domain, devices } as never });
  const vmi = await cluster.vmis.until('odd', ({ status }) => status?.phase === 'Failed');
  expect(condition(vmi, 'Synchronized')).toMatchObject({
    status: 'False',
    message: expect.stringContaining('none-such'),
  });
  await remove('odd');
});

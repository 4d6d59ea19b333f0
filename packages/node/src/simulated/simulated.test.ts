import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Namespace, Node, type Persisted, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLERS, install, startControllers } from '@vireo/controllers';
import { Client, type StreamResponse } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { WebSocket } from 'ws';
import { IDENTITY, USER } from '../identity.ts';
import { countingTransport } from '../testing/countingTransport.ts';
import { type Simulation, startSimulatedNodes } from './index.ts';
import { removeStaleNodes } from './stale.ts';

const NAMESPACE = 'shop';
const at = { namespace: NAMESPACE };
const account = (username: string) => ({
  username,
  groups: ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'],
});

let server: TestServer;
let simulation: Simulation;
const stop = new AbortController();
const stopNodes = new AbortController();
const writes: string[] = [];
const ended: Promise<unknown>[] = [];
const log = memoryLog();

const client = (): Client => server.client;
const start = (signal: AbortSignal): Promise<Simulation> =>
  startSimulatedNodes(
    { client: new Client(countingTransport(server.inProcess(account(USER)), writes)), count: 3, log },
    signal,
  );

beforeAll(async () => {
  server = await startTestServer();
  await install(client(), { useEmulation: true, identities: [IDENTITY] });
  await client()
    .of(Namespace)
    .create({ metadata: { name: NAMESPACE } });
  const configuration = {
    hypervisorConfiguration: { name: 'stub' },
    developerConfiguration: { useEmulation: true, featureGates: ['ConfigurableHypervisor'] },
  };
  const body = { spec: { configuration } };
  await client().of(KubeVirt).patch('kubevirt', body, { namespace: 'kubevirt', type: 'merge' });
  const controllers = startControllers(
    { client: new Client(server.inProcess(account(CONTROLLERS))), log, architecture: 'amd64' },
    stop.signal,
  );
  ended.push(controllers.ended);
  await controllers.synced;
  simulation = await start(stopNodes.signal);
});
afterAll(async () => {
  stop.abort();
  stopNodes.abort();
  await Promise.all([...ended, simulation?.ended]);
  await server.close();
});

const spec = (): VirtualMachineInstance['spec'] => ({
  architecture: 'amd64',
  terminationGracePeriodSeconds: 5,
  domain: {
    machine: { type: 'q35' },
    memory: { guest: '64Mi' },
    devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }], interfaces: [{ name: 'default', masquerade: {} }] },
  },
  networks: [{ name: 'default', pod: {} }],
  volumes: [{ name: 'root', containerDisk: { image: 'registry.example/guest:1' } }],
});

const vmis = () => client().of(VirtualMachineInstance);
const create = (name: string): Promise<VirtualMachineInstance> =>
  vmis().create({ metadata: { name, namespace: NAMESPACE }, spec: spec() });
const until = <T>(read: () => Promise<T>, is: (value: T) => boolean): Promise<T> =>
  vi.waitFor(
    async () => {
      const value = await read();
      expect(is(value), JSON.stringify(value)).toBe(true);
      return value;
    },
    { timeout: 20_000, interval: 50 },
  );
const running = (name: string): Promise<VirtualMachineInstance> =>
  until(
    () => vmis().get(name, at),
    ({ status }) => status?.phase === 'Running',
  );
const launcherOf = async (name: string): Promise<Persisted<Pod> | undefined> =>
  (await client().of(Pod).list(at)).items.find(({ metadata }) => metadata.ownerReferences?.[0]?.name === name);

describe('simulated nodes', () => {
  it('are there, say what they are, and keep others away', async () => {
    expect(simulation.names).toEqual(['simulated-0', 'simulated-1', 'simulated-2']);
    // A node is kept free until the server has heard that it is ready.
    const node = await vi.waitFor(
      async () => {
        const found = await client().of(Node).get('simulated-1');
        expect(found.spec?.taints).toEqual([{ key: 'vireo.dev/simulated', value: 'true', effect: 'NoSchedule' }]);
        return found;
      },
      { timeout: 20_000 },
    );
    expect(node.metadata.labels).toMatchObject({ 'hypervisor.node.kubevirt.io/name': 'stub' });
    expect(node.status?.conditions?.map(({ type }) => type)).toEqual(['Ready', 'Simulated']);
    expect(node.status?.allocatable).toMatchObject({ 'devices.kubevirt.io/stub': '110k' });
  });

  it('move a VM from one to another', async () => {
    await create('mover');
    const { status } = await running('mover');
    expect(status?.conditions?.find(({ type }) => type === 'LiveMigratable')?.status).toBe('True');
    const source = await launcherOf('mover');
    const migrations = client().of(VirtualMachineInstanceMigration);
    await migrations.create({ metadata: { name: 'away', namespace: NAMESPACE }, spec: { vmiName: 'mover' } });
    await until(
      () => migrations.get('away', at),
      (migration) => migration.status?.phase === 'Succeeded',
    );
    const moved = await vmis().get('mover', at);
    expect(simulation.names).toContain(moved.status?.nodeName);
    expect(moved.status).toMatchObject({ phase: 'Running', migrationState: { sourceNode: status?.nodeName } });
    expect(moved.status?.nodeName).not.toBe(status?.nodeName);
    await until(
      () =>
        client()
          .of(Pod)
          .find(source?.metadata.name ?? '', at),
      (pod) => pod === undefined,
    );
    expect((await vmis().get('mover', at)).status?.phase).toBe('Running');
  });

  it('run a VM: its phases, its devices, its log', async () => {
    await create('one');
    const vmi = await running('one');
    expect(simulation.names).toContain(vmi.status?.nodeName);
    expect(vmi.status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual(
      expect.arrayContaining(['Scheduled', 'Running']),
    );
    expect(vmi.status?.volumeStatus).toEqual([{ name: 'root', target: 'vda' }]);
    const pod = await launcherOf('one');
    expect(pod?.spec?.containers[0]?.resources?.limits).toEqual({ 'devices.kubevirt.io/stub': '1' });
    const text = await until(
      () => logOf(pod!),
      (printed) => printed.includes('SeaBIOS'),
    );
    expect(text).toMatch(/^SeaBIOS/);
  });

  it('write little: one patch of the VMI, and one of its launcher', async () => {
    writes.length = 0;
    await create('cheap');
    await running('cheap');
    const own = writes.filter((write) => !write.includes('nodes'));
    expect(own.filter((write) => write.startsWith('PATCH pods'))).toHaveLength(1);
    expect(own.filter((write) => write.startsWith('PATCH virtualmachineinstances'))).toHaveLength(1);
  });

  it('have consoles that print and take keys', async () => {
    await running('one');
    await withApi(async (address) => {
      const client = new WebSocket(`ws://${address}/one/console`, 'plain.kubevirt.io');
      let text = '';
      client.on('message', (data: Buffer) => {
        text += data.toString();
      });
      await vi.waitFor(() => expect(text).toMatch(/SeaBIOS[\s\S]*login: $/), { timeout: 20_000 });
      client.send(Buffer.from('root\r'));
      await vi.waitFor(() => expect(text).toMatch(/login: root\r\nlogin: $/), { timeout: 20_000 });
      const closed = new Promise((resolve) => client.once('close', resolve));
      client.close();
      await closed;
    });
  });

  it.each(['guestosinfo', 'exec/status'])('refuse %s, which needs a guest', (verb) =>
    withApi(async (address) => {
      const response = await fetch(`http://${address}/one/${verb}`);
      expect(response.status).toBe(400);
      expect(await response.text()).toContain(`${verb} needs a guest, and VMs on simulated nodes have none`);
    }),
  );

  it('pause, go on, and end in order', async () => {
    await create('pausing');
    await running('pausing');
    const paused = ({ status }: VirtualMachineInstance): boolean =>
      status?.conditions?.some(({ type, status: is }) => type === 'Paused' && is === 'True') ?? false;
    await put('pausing', 'pause');
    await until(() => vmis().get('pausing', at), paused);
    await put('pausing', 'unpause');
    await until(
      () => vmis().get('pausing', at),
      (vmi) => !paused(vmi),
    );
    // What was said while it was paused is not said of a VM that is ready again.
    const ready = ({ status }: VirtualMachineInstance | Pod): object | undefined =>
      status?.conditions?.find(({ type, status: is }) => type === 'Ready' && is === 'True');
    const vmi = await until(
      () => vmis().get('pausing', at),
      (each) => ready(each) !== undefined,
    );
    for (const object of [vmi, (await launcherOf('pausing'))!])
      expect(Object.keys(ready(object) ?? {})).not.toEqual(
        expect.arrayContaining([expect.stringMatching(/reason|message/)]),
      );
    await vmis().delete('pausing', at);
    await until(
      async () => (await vmis().list(at)).items.map(({ metadata }) => metadata.name),
      (names) => !names.includes('pausing'),
    );
    await until(
      () => launcherOf('pausing'),
      (pod) => pod === undefined,
    );
  });

  it('run what a VM keeps running, and stop it with the VM', async () => {
    const vms = client().of(VirtualMachine);
    await vms.create({
      metadata: { name: 'kept', namespace: NAMESPACE },
      spec: { runStrategy: 'Always', template: { spec: spec() } },
    });
    await running('kept');
    await vms.patch('kept', { spec: { runStrategy: 'Halted' } }, { ...at, type: 'merge' });
    await until(
      () => vms.get('kept', at),
      ({ status }) => status?.printableStatus === 'Stopped',
    );
  });

  it('let the launcher of an annotated VM fail at once, so that a crash loop can be tested', async () => {
    const vms = client().of(VirtualMachine);
    const metadata = { annotations: { 'kubevirt.io/func-test-virt-launcher-fail-fast': '' } };
    await vms.create({
      metadata: { name: 'crashing', namespace: NAMESPACE },
      spec: { runStrategy: 'Always', template: { metadata, spec: spec() } },
    });
    const { status } = await until(
      () => vms.get('crashing', at),
      (vm) => vm.status?.printableStatus === 'CrashLoopBackOff',
    );
    expect(status?.startFailure?.consecutiveFailCount).toBeGreaterThan(0);
    await vms.patch('crashing', { spec: { runStrategy: 'Halted' } }, { ...at, type: 'merge' });
    await until(
      () => vms.get('crashing', at),
      (vm) => vm.status?.printableStatus === 'Stopped' && vm.status.startFailure === undefined,
    );
  });

  it('find their VMs again after a restart', async () => {
    const { metadata } = await running('one');
    stopNodes.abort();
    await simulation.ended;
    const again = new AbortController();
    stop.signal.addEventListener('abort', () => again.abort());
    simulation = await start(again.signal);
    await create('later');
    await running('later');
    const after = await vmis().get('one', at);
    expect(after.metadata.uid).toBe(metadata.uid);
    expect(after.status?.phase).toBe('Running');
  });
});

/** What the API server would show as the launcher's log. */
async function logOf(pod: Persisted<Pod>): Promise<string> {
  const log = await simulation
    .logs(pod.spec?.nodeName ?? '')
    .podLog(pod, 'compute', new URLSearchParams(), stop.signal);
  const chunks: Buffer[] = [];
  (log as StreamResponse).start({
    write: ({ bytes }) => chunks.push(bytes()),
    end: () => {},
    fail: () => {},
    bufferedBytes: 0,
    onDrain: () => {},
  });
  return Buffer.concat(chunks).toString();
}

/** Serves the nodes' API for a moment. */
async function withApi(use: (address: string) => Promise<void>): Promise<void> {
  const api = createServer((request, response) => simulation.api.handle(request, response));
  api.on('upgrade', (request, socket, head) => simulation.api.upgrade(request, socket, head));
  await new Promise<void>((resolve) => api.listen(0, '127.0.0.1', resolve));
  const { port } = api.address() as AddressInfo;
  await use(`127.0.0.1:${port}/v1/namespaces/${NAMESPACE}/virtualmachineinstances`);
  await new Promise((resolve) => api.close(resolve));
}

/** Asks a node to do something to a VM. */
const put = (name: string, verb: string): Promise<void> =>
  withApi(async (address) => {
    const response = await fetch(`http://${address}/${name}/${verb}`, { method: 'PUT' });
    expect(response.status).toBe(200);
  });

it('nodes that are no longer simulated go, and others stay', async () => {
  const nodes = client().of(Node);
  await nodes.create({ metadata: { name: 'real' } });
  await removeStaleNodes(client(), new Set(['simulated-0', 'simulated-1']));
  const { items } = await nodes.list();
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['real', 'simulated-0', 'simulated-1']);
});

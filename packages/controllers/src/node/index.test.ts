import { Event, Lease, Node, Pod } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { gone, observed } from '../testing/watching.ts';
import { LOOK_MS } from './silence.ts';

let cluster: Cluster;
let clock: FakeClock;
let ticking: NodeJS.Timeout | undefined;

beforeEach(async () => {
  clock = new FakeClock();
  clock.advance(Date.now());
  cluster = await startCluster();
  await cluster.startNode({ prepares: ({ metadata }) => !metadata.name?.includes('late') });
  await cluster.startControllers({ clock });
  await cluster.admin.of(Vm).create(vmDraft('web'));
  await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Running');
});
afterEach(async () => {
  clearInterval(ticking);
  await cluster.close();
});

/** Lets time pass as the controllers look at it: in small steps, until the test ends. */
const passTime = (): void => {
  ticking = setInterval(() => clock.advance(LOOK_MS), 20);
};
const vmi = () => cluster.admin.of(Vmi).get('web', { namespace: NAMESPACE });
const inPhase = (phase: string) => observed<Vmi>(cluster.admin, Vmi, ({ status }) => status?.phase === phase);
const event = (kind: string, reason: string): Promise<Event> =>
  observed<Event>(cluster.admin, Event, (each) => each.reason === reason && each.involvedObject.kind === kind);
const taint = (key: string) =>
  cluster.admin.of(Node).patch(NODE_NAME, { spec: { taints: [{ key, effect: 'NoExecute' }] } }, { type: 'merge' });

it('a silent node stops no guest and starts none elsewhere: its VMIs are Unknown', async () => {
  const before = await vmi();
  passTime();
  const unknown = await inPhase('Unknown');
  expect(unknown.metadata.uid).toBe(before.metadata.uid);
  expect(unknown.status?.reason).toBe('NodeUnresponsive');
  const { metadata } = await cluster.admin.of(Node).get(NODE_NAME);
  expect(metadata.labels?.['kubevirt.io/schedulable']).toBe('false');
  expect((await event('Node', 'NodeUnresponsive')).message).toContain(`vireo node fence ${NODE_NAME}`);
  expect((await event('VirtualMachineInstance', 'NodeUnresponsive')).message).toContain('neither stopped nor started');
  const vm = await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Unknown');
  expect(vm.status?.conditions).toContainEqual(
    expect.objectContaining({ type: 'Ready', status: 'Unknown', reason: 'NodeUnresponsive' }),
  );

  const untilMs = clock.now() + 20 * 60_000;
  await expect.poll(() => clock.now(), { timeout: 30_000 }).toBeGreaterThan(untilMs);
  expect((await vmi()).metadata).toMatchObject({ uid: before.metadata.uid });
  expect((await vmi()).status?.phase).toBe('Unknown');
  const { items } = await cluster.admin.of(Pod).list({ namespace: NAMESPACE });
  expect(items.map(({ metadata }) => metadata.deletionTimestamp)).toEqual([undefined]);

  // It is asked to stop; that waits for the node.
  await cluster.admin.of(Vm).patch('web', { spec: { runStrategy: 'Halted' } }, { namespace: NAMESPACE, type: 'merge' });
  const stopping = await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Stopping');
  expect(stopping.status?.conditions?.find(({ type }) => type === 'Ready')?.reason).toBe('NodeUnresponsive');
});

it('the VMIs of a host that is powered off fail, and their VMs start anew', async () => {
  const before = await vmi();
  await taint('node.kubernetes.io/out-of-service');
  expect((await vmi()).status?.phase).toBe('Running');
  passTime();
  const failed = await inPhase('Failed');
  expect(failed.metadata.uid).toBe(before.metadata.uid);
  expect(failed.status?.reason).toBe('NodeOutOfService');
  await gone<Pod>(cluster.admin, Pod, ({ spec }) => spec?.nodeName === NODE_NAME);
  await observed<Vmi>(cluster.admin, Vmi, ({ metadata }) => metadata.uid !== before.metadata.uid);
  expect((await event('Node', 'NodeOutOfService')).message).toContain('is powered off');
});

it('a node that reports is not given up, whatever its taints say', async () => {
  await taint('node.kubernetes.io/out-of-service');
  const leases = cluster.admin.of(Lease);
  await leases.create({ metadata: { name: NODE_NAME, namespace: 'kube-node-lease' }, spec: {} });
  const startedMs = clock.now();
  while (clock.now() < startedMs + 300_000) {
    const renewTime = new Date(clock.now()).toISOString().replace('Z', '000Z');
    await leases.patch(NODE_NAME, { spec: { renewTime } }, { namespace: 'kube-node-lease', type: 'merge' });
    clock.advance(LOOK_MS);
  }
  expect((await vmi()).status?.phase).toBe('Running');
});

it('a node that has promised to end its guests gives them up after the silence that its policy names', async () => {
  const { uid } = (await vmi()).metadata;
  const annotations = { 'vireo.io/fencing': 'lease stopAfter=60s restartAfter=600s' };
  await cluster.admin.of(Node).patch(NODE_NAME, { metadata: { annotations } }, { type: 'merge' });
  const promise = { 'vireo.io/guests-stop-after-seconds': '60' };
  await cluster.admin
    .of(Lease)
    .create({ metadata: { name: NODE_NAME, namespace: 'kube-node-lease', annotations: promise }, spec: {} });
  passTime();
  await inPhase('Unknown');
  const unknownAtMs = clock.now();
  const failed = await inPhase('Failed');
  expect(failed.metadata.uid).toBe(uid);
  expect(failed.status?.reason).toBe('NodeLeaseExpired');
  expect(clock.now() - unknownAtMs).toBeGreaterThan(500_000);
});

it('the VMIs of a removed node are Unknown', async () => {
  await cluster.admin.of(Node).delete(NODE_NAME);
  await gone<Node>(cluster.admin, Node, ({ metadata }) => metadata.name === NODE_NAME);
  expect((await vmi()).status?.phase).toBe('Running');
  passTime();
  expect((await inPhase('Unknown')).status?.reason).toBe('NodeRemoved');
  await event('VirtualMachineInstance', 'NodeRemoved');
});

it('a VMI whose guest a silent node had not been told to start is started elsewhere', async () => {
  await cluster.admin.of(Vm).create(vmDraft('late'));
  await observed<Pod>(
    cluster.admin,
    Pod,
    ({ metadata: { name }, spec }) => name.includes('late') && spec?.nodeName === NODE_NAME,
  );
  const { metadata } = await cluster.admin.of(Vmi).get('late', { namespace: NAMESPACE });
  passTime();
  await observed<Vmi>(cluster.admin, Vmi, ({ metadata: { name, uid } }) => name === 'late' && uid !== metadata.uid);
  expect((await vmi()).status?.phase).toBe('Unknown');
});

import { Event, isDeleting, Lease, Node, Pod, timestamp } from '@vireo/api';
import { MIGRATION_FINALIZER, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isMigrating, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { gone, observed } from '../testing/watching.ts';
import { LEASES, LOOK_MS } from './silence.ts';

// The guest moves from one node to another, and nobody knows how far it is. The nodes are stand-ins, as in fakeNode.ts.

let cluster: Cluster;
let clock: FakeClock;
let isOver = false;
let passing: Promise<void>;
/** Nodes that renew their leases. */
const reporting = new Set<string>();
let before: Vmi;
let source: string;
let target: string;

const at = { namespace: NAMESPACE };
const vmi = () => cluster.admin.of(Vmi).get('web', at);
const vmiThat = (fits: (vmi: Vmi) => boolean) => observed<Vmi>(cluster.admin, Vmi, fits);
const powerOff = (name: string) =>
  cluster.admin
    .of(Node)
    .patch(
      name,
      { spec: { taints: [{ key: 'node.kubernetes.io/out-of-service', effect: 'NoExecute' }] } },
      { type: 'merge' },
    );
const event = (kind: string, reason: string): Promise<Event> =>
  observed<Event>(cluster.admin, Event, (each) => each.reason === reason && each.involvedObject.kind === kind);
const nodesOfPods = async () =>
  (await cluster.admin.of(Pod).list(at)).items.filter((pod) => !isDeleting(pod)).map(({ spec }) => spec?.nodeName);

/** Lets time pass as the controllers look at it, in small steps; nodes that report renew their leases with each. */
async function passTime(): Promise<void> {
  while (!isOver) {
    for (const name of reporting) {
      const spec = { renewTime: new Date(clock.now()).toISOString().replace('Z', '000Z') };
      await cluster.admin.of(Lease).patch(name, { spec }, { namespace: LEASES, type: 'merge' });
    }
    clock.advance(LOOK_MS);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
async function minutesPass(minutes: number): Promise<void> {
  const untilMs = clock.now() + minutes * 60_000;
  await expect.poll(() => clock.now(), { timeout: 30_000 }).toBeGreaterThan(untilMs);
}

beforeEach(async () => {
  isOver = false;
  reporting.clear();
  clock = new FakeClock();
  clock.advance(Date.now());
  cluster = await startCluster();
  for (const name of ['a', 'b']) {
    await cluster.startNode({ name, moves: () => 'hangs' });
    await cluster.admin.of(Lease).create({ metadata: { name, namespace: LEASES }, spec: {} });
  }
  await cluster.startControllers({ clock });
  await cluster.admin.of(Vm).create(vmDraft('web'));
  await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Running');
  await cluster.admin
    .of(Migration)
    .create({ metadata: { ...at, name: 'move', finalizers: [MIGRATION_FINALIZER] }, spec: { vmiName: 'web' } });
  before = await vmiThat(isMigrating);
  source = before.status?.nodeName ?? '';
  target = source === 'a' ? 'b' : 'a';
  passing = passTime();
});
afterEach(async () => {
  isOver = true;
  await passing;
  await cluster.close();
});

it('a guest whose source was given up is neither ended nor started elsewhere while its target is silent', async () => {
  await powerOff(source);
  const unknown = await vmiThat(({ status }) => status?.reason === 'GuestMayHaveMoved');
  expect(unknown.status?.phase).toBe('Unknown');
  const ready = await vmiThat(({ status }) =>
    (status?.conditions ?? []).some(({ type, reason }) => type === 'Ready' && reason === 'GuestMayHaveMoved'),
  );
  const [said] = ready.status?.conditions?.filter(({ type }) => type === 'Ready') ?? [];
  expect(said?.message).toContain(`may have arrived there`);
  for (const kind of ['VirtualMachineInstance', 'Node'])
    expect((await event(kind, 'GuestMayHaveMoved')).message).toContain(`vireo node fence ${target}`);
  await minutesPass(20);
  expect(await vmi()).toMatchObject({ metadata: { uid: before.metadata.uid }, status: { phase: 'Unknown' } });
  expect((await nodesOfPods()).sort()).toEqual(['a', 'b']);

  await powerOff(target);
  const failed = await vmiThat(({ status }) => status?.phase === 'Failed');
  expect(failed.metadata.uid).toBe(before.metadata.uid);
  await vmiThat(({ metadata }) => metadata.uid !== before.metadata.uid);
});

it('a guest that has arrived goes on at its target when that reports again', async () => {
  await powerOff(source);
  await vmiThat(({ status }) => status?.reason === 'GuestMayHaveMoved');
  // What the agent writes that has the guest.
  const end = { completed: true, endTimestamp: timestamp() };
  const status = { nodeName: target, phase: 'Running', reason: null, migrationState: end };
  await cluster.admin.of(Vmi).patch('web', { status }, { ...at, type: 'merge' });
  reporting.add(target);
  await observed<Migration>(cluster.admin, Migration, (each) => each.status?.phase === 'Succeeded');
  await gone<Pod>(cluster.admin, Pod, ({ spec }) => spec?.nodeName === source);
  await minutesPass(5);
  expect(await vmi()).toMatchObject({ metadata: { uid: before.metadata.uid }, status: { phase: 'Running' } });
  expect(await nodesOfPods()).toEqual([target]);
});

it('a guest that has not arrived is started elsewhere when its target, which reports, has let its pod go', async () => {
  reporting.add(target);
  await powerOff(source);
  const asked = await vmiThat(({ metadata }) => 'vireo.io/asked-target-of-migration' in (metadata.annotations ?? {}));
  expect(asked.status).toMatchObject({ phase: 'Unknown', nodeName: source });
  const failed = await vmiThat(({ status }) => status?.phase === 'Failed');
  expect(failed.metadata.uid).toBe(before.metadata.uid);
  await vmiThat(({ metadata }) => metadata.uid !== before.metadata.uid);
});

it('a target that is given up takes nothing from a source that reports, which hears of it', async () => {
  reporting.add(source);
  await powerOff(target);
  const told = await vmiThat(({ status }) => status?.migrationState?.failureReason !== undefined);
  expect(told.status?.migrationState?.failureReason).toMatch(`the host of node ${target} is powered off`);
  expect(told.status?.migrationState?.failed).toBeUndefined();
  expect((await event('VirtualMachineInstance', 'NodeOutOfService')).message).toContain('does not arrive there');
  await gone<Pod>(cluster.admin, Pod, ({ spec }) => spec?.nodeName === target);
  await minutesPass(5);
  expect(await vmi()).toMatchObject({
    metadata: { uid: before.metadata.uid },
    status: { phase: 'Running', nodeName: source },
  });
});

it('a target whose lease has expired by its policy is given up, too', async () => {
  reporting.add(source);
  const annotations = { 'vireo.io/fencing': 'lease stopAfter=60s restartAfter=120s' };
  await cluster.admin.of(Node).patch(target, { metadata: { annotations } }, { type: 'merge' });
  const promise = { metadata: { annotations: { 'vireo.io/guests-stop-after-seconds': '60' } } };
  await cluster.admin.of(Lease).patch(target, promise, { namespace: LEASES, type: 'merge' });
  const told = await vmiThat(({ status }) => status?.migrationState?.failureReason !== undefined);
  expect(told.status?.migrationState?.failureReason).toMatch(`node ${target} has been unreachable`);
});

import { Node, Pod } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { gone, observed } from '../testing/watching.ts';
import { LOST_LAUNCHER_MS } from './reconcile.ts';

let cluster: Cluster;
const clock = new FakeClock();
let ticking: NodeJS.Timeout | undefined;

beforeAll(async () => {
  clock.advance(Date.now());
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers({ clock });
  await cluster.admin.of(Vm).create(vmDraft('web'));
  await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Running');
  ticking = setInterval(() => clock.advance(LOST_LAUNCHER_MS / 10), 20);
});
afterAll(async () => {
  clearInterval(ticking);
  await cluster.close();
});

const vmi = () => cluster.admin.of(Vmi).get('web', { namespace: NAMESPACE });
async function loseLauncher(): Promise<Pod> {
  const [pod] = (await cluster.admin.of(Pod).list({ namespace: NAMESPACE })).items;
  await cluster.admin.of(Pod).delete(pod!.metadata.name, { namespace: NAMESPACE, gracePeriodSeconds: 0 });
  await gone<Pod>(cluster.admin, Pod, ({ metadata }) => metadata.uid === pod!.metadata.uid);
  return pod!;
}
const anotherThan = (old: Pod) =>
  observed<Pod>(
    cluster.admin,
    Pod,
    ({ metadata }) => metadata.namespace === NAMESPACE && metadata.uid !== old.metadata.uid,
  );

it('the launcher of a guest that runs is made anew, on the node of the guest', async () => {
  const { metadata } = await vmi();
  const { spec } = await anotherThan(await loseLauncher());
  expect(spec?.nodeName).toBe(NODE_NAME);
  expect(await vmi()).toMatchObject({ metadata: { uid: metadata.uid }, status: { phase: 'Running' } });
});

it('a launcher is not made again while its Node does not exist: pod garbage collection would delete it', async () => {
  const node = await cluster.admin.of(Node).get(NODE_NAME);
  await cluster.admin.of(Node).delete(NODE_NAME);
  await gone<Node>(cluster.admin, Node, ({ metadata }) => metadata.name === NODE_NAME);
  const old = await loseLauncher();
  const untilMs = clock.now() + 3 * LOST_LAUNCHER_MS;
  await expect.poll(() => clock.now()).toBeGreaterThan(untilMs);
  expect((await cluster.admin.of(Pod).list({ namespace: NAMESPACE })).items).toEqual([]);
  const { name, labels, annotations } = node.metadata;
  await cluster.admin.of(Node).create({ metadata: { name, labels, annotations } });
  expect((await anotherThan(old)).spec?.nodeName).toBe(NODE_NAME);
});

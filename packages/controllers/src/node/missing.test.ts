import { Event, Node, Pod } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster, vmDraft } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { gone, observed } from '../testing/watching.ts';
import { MISSING_MS } from './reconcile.ts';

let cluster: Cluster;
const clock = new FakeClock();

beforeAll(async () => {
  clock.advance(Date.now());
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers({ clock });
});
afterAll(() => cluster.close());

it('the node controller fails the VMIs of a removed node that does not come back', async () => {
  await cluster.admin.of(Vm).create(vmDraft('web', { runStrategy: 'Manual' }));
  const started = { status: { stateChangeRequests: [{ action: 'Start' }] } };
  const [vm] = (await cluster.admin.of(Vm).list()).items;
  await cluster.admin.of(Vm).patchStatus('web', started, { namespace: vm?.metadata.namespace, type: 'merge' });
  await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Running');

  await cluster.admin.of(Node).delete(NODE_NAME);
  await gone<Node>(cluster.admin, Node, ({ metadata }) => metadata.name === NODE_NAME);
  expect((await cluster.admin.of(Vmi).list()).items[0]?.status?.phase).toBe('Running');

  const failed = observed<Vmi>(cluster.admin, Vmi, ({ status }) => status?.phase === 'Failed');
  // The controller takes a moment to hear of it; time passes until it has.
  const pass = setInterval(() => clock.advance(MISSING_MS), 20);
  const vmi = await failed.finally(() => clearInterval(pass));
  expect(vmi.status?.reason).toBe('NodeRemoved');
  await gone<Pod>(cluster.admin, Pod, ({ spec }) => spec?.nodeName === NODE_NAME);
  await observed<Event>(
    cluster.admin,
    Event,
    ({ reason, message }) =>
      reason === 'NodeRemoved' && message === `node ${NODE_NAME} no longer exists, marking VMI as failed`,
  );
});

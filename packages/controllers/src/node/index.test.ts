import { Event, Node, Pod } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, startCluster, vmDraft } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { gone, observed } from '../testing/watching.ts';
import { HEARTBEAT_TIMEOUT_MS } from './heartbeat.ts';

let cluster: Cluster;
const clock = new FakeClock();

beforeAll(async () => {
  clock.advance(Date.now());
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers({ clock });
});
afterAll(() => cluster.close());

it('the node controller fails the VMIs of a node that no longer reports', async () => {
  await cluster.admin.of(Vm).create(vmDraft('web', { runStrategy: 'Manual' }));
  const [vm] = (await cluster.admin.of(Vm).list()).items;
  const started = { status: { stateChangeRequests: [{ action: 'Start' }] } };
  await cluster.admin.of(Vm).patchStatus('web', started, { namespace: vm?.metadata.namespace, type: 'merge' });
  await observed<Vm>(cluster.admin, Vm, ({ status }) => status?.printableStatus === 'Running');

  clock.advance(HEARTBEAT_TIMEOUT_MS - 60_000);
  expect((await cluster.admin.of(Node).get(NODE_NAME)).metadata.labels?.['kubevirt.io/schedulable']).toBe('true');

  clock.advance(120_000);
  await observed<Node>(cluster.admin, Node, ({ metadata }) => metadata.labels?.['kubevirt.io/schedulable'] === 'false');
  const vmi = await observed<Vmi>(cluster.admin, Vmi, ({ status }) => status?.phase === 'Failed');
  expect(vmi.status?.reason).toBe('NodeUnresponsive');
  await gone<Pod>(cluster.admin, Pod, ({ spec }) => spec?.nodeName === NODE_NAME);
  const isTold = (kind: string) => (event: Event) =>
    event.reason === 'NodeUnresponsive' && event.involvedObject.kind === kind;
  await observed<Event>(cluster.admin, Event, isTold('Node'));
  await observed<Event>(cluster.admin, Event, isTold('VirtualMachineInstance'));
});

import { Event, isConditionTrue, Node } from '@vireo/api';
import {
  DRAIN_FORCED,
  DRAIN_REQUESTED,
  DRAIN_TAINT,
  MAINTAIN_NODE,
  MAINTAIN_STATUS,
  MAINTAIN_STRATEGY,
  RUN_STRATEGY,
} from '@vireo/api/kinds/harvester/names.ts';
import { UpgradeLog } from '@vireo/api/kinds/harvester/upgradeLog.ts';
import { EVICTION_REQUESTED } from '@vireo/api/kinds/kubevirt/eviction.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { VirtualMachineInstanceMigration } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceMigration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { gone, observed } from '../testing/watching.ts';

let cluster: Cluster;

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers();
});
afterAll(() => cluster.close());

const at = { namespace: NAMESPACE };
const create = (name: string, strategy?: string, spec: Partial<Vm['spec']> = {}): Promise<Vm> => {
  const { metadata, ...rest } = vmDraft(name, spec);
  const labels = strategy === undefined ? {} : { [MAINTAIN_STRATEGY]: strategy };
  return cluster.admin.of(Vm).create({ ...rest, metadata: { ...metadata, labels } });
};
const running = (name: string): Promise<Vm> =>
  observed<Vm>(
    cluster.admin,
    Vm,
    ({ metadata, status }) => metadata.name === name && status?.printableStatus === 'Running',
  );
const annotate = (annotations: Record<string, string | null>, spec: object = {}): Promise<Node> =>
  cluster.admin.of(Node).patch(NODE_NAME, { metadata: { annotations }, spec }, { type: 'merge' });
const nodeWith = (status: string): Promise<Node> =>
  observed<Node>(cluster.admin, Node, ({ metadata }) => metadata.annotations?.[MAINTAIN_STATUS] === status);

it('maintenance empties a node, and starts its VMs again when it is over', async () => {
  await create('patient', 'ShutdownAndRestartAfterDisable');
  await create('by-hand', 'ShutdownAndRestartAfterDisable', { runStrategy: 'Manual' });
  await create('off', 'Shutdown');
  const start = { status: { stateChangeRequests: [{ action: 'Start' }] } };
  await cluster.admin.of(Vm).patchStatus('by-hand', start, { ...at, type: 'merge' });
  await Promise.all(['patient', 'by-hand', 'off'].map(running));

  await annotate({ [DRAIN_REQUESTED]: 'true' });
  const { metadata, spec } = await nodeWith('completed');
  expect(metadata.annotations).not.toHaveProperty([DRAIN_REQUESTED]);
  expect(spec?.unschedulable).toBe(true);
  expect((await cluster.admin.of(Vmi).list(at)).items.every(isFinal)).toBe(true);
  const patient = await cluster.admin.of(Vm).get('patient', at);
  expect(patient.spec.runStrategy).toBe('Halted');
  expect(patient.metadata.annotations?.[MAINTAIN_NODE]).toBe(NODE_NAME);

  await annotate({ [MAINTAIN_STATUS]: null }, { unschedulable: false, taints: null });
  await Promise.all(['patient', 'by-hand'].map(running));
  const after = await cluster.admin.of(Vm).get('patient', at);
  expect(after.spec.runStrategy).toBe('Always');
  expect(after.metadata.annotations).not.toHaveProperty([MAINTAIN_NODE]);
  expect((await cluster.admin.of(Vm).get('off', at)).spec.runStrategy).toBe('Halted');
  await observed<Event>(cluster.admin, Event, ({ reason }) => reason === 'StartedAfterMaintenance');
  for (const name of ['patient', 'by-hand', 'off']) await cluster.admin.of(Vm).delete(name, at);
  await gone<Vm>(cluster.admin, Vm, () => true);
});

it('maintenance is refused where a VM could not move, unless it is forced', async () => {
  await create('immobile');
  await running('immobile');
  await annotate({ [DRAIN_REQUESTED]: 'true' });
  const event = await observed<Event>(cluster.admin, Event, ({ reason }) => reason === 'MaintenanceRefused');
  expect(event.message).toContain('shop/immobile cannot be migrated');
  const refused = await cluster.admin.of(Node).get(NODE_NAME);
  expect(refused.metadata.annotations).not.toHaveProperty([DRAIN_REQUESTED]);
  expect(refused.spec?.unschedulable ?? false).toBe(false);

  await annotate({ [DRAIN_REQUESTED]: 'true', [DRAIN_FORCED]: 'true' });
  await nodeWith('completed');
  const { spec, metadata } = await cluster.admin.of(Vm).get('immobile', at);
  expect(spec.runStrategy).toBe('Halted');
  expect(metadata.annotations).not.toHaveProperty([MAINTAIN_NODE]);
});

it('maintenance moves VMs that can move to another node, whatever their eviction strategy', async () => {
  await annotate({ [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: null }, { unschedulable: false, taints: null });
  await create('mobile');
  await running('mobile');
  const isReady = (each: Vmi) => each.metadata.name === 'mobile' && isConditionTrue(each, 'Ready');
  const vmi = await observed<Vmi>(cluster.admin, Vmi, isReady);
  const patchVmi = (status: object) => cluster.admin.of(Vmi).patch('mobile', { status }, { ...at, type: 'merge' });
  await patchVmi({ conditions: [...(vmi.status?.conditions ?? []), { type: 'LiveMigratable', status: 'True' }] });
  await cluster.startNode({ name: 'n2' });

  await annotate({ [DRAIN_REQUESTED]: 'true' });
  const migration = await observed<VirtualMachineInstanceMigration>(
    cluster.admin,
    VirtualMachineInstanceMigration,
    ({ spec }) => spec.vmiName === 'mobile',
  );
  expect(migration.metadata.annotations).toMatchObject({ 'kubevirt.io/evacuationMigration': NODE_NAME });
  expect((await cluster.admin.of(Vm).get('mobile', at)).spec.runStrategy).toBe('Always');
  await nodeWith('completed');
  expect((await cluster.admin.of(Vmi).get('mobile', at)).status?.nodeName).toBe('n2');
  await observed<Event>(
    cluster.admin,
    Event,
    ({ message }) => message === 'VMs are leaving the node: 1 by migration, 0 by shutdown',
  );
  await cluster.admin.of(Vm).delete('mobile', at);
  await gone<Vm>(cluster.admin, Vm, ({ metadata }) => metadata.name === 'mobile');
  await cluster.admin.of(Node).patch('n2', { spec: { unschedulable: true } }, { type: 'merge' });
});

it('maintenance stops VMs that come after the node was found empty', async () => {
  await annotate({ [DRAIN_FORCED]: null, [MAINTAIN_STATUS]: null }, { unschedulable: false, taints: null });
  await create('late', 'ShutdownAndRestartAfterDisable');
  await running('late');
  await annotate({ [MAINTAIN_STATUS]: 'running' }, { unschedulable: true });
  await nodeWith('completed');
  const { spec, metadata } = await cluster.admin.of(Vm).get('late', at);
  expect(spec.runStrategy).toBe('Halted');
  expect(metadata.annotations?.[MAINTAIN_NODE]).toBe(NODE_NAME);
});

it('maintenance leaves a VM that waits for another node to others when the cluster gets a strategy that says so', async () => {
  // What becomes of other VMs would have the node looked at as well.
  await cluster.admin.of(Vm).delete('late', at);
  await gone<Vm>(cluster.admin, Vm, ({ metadata }) => metadata.name === 'late');
  await annotate({ [MAINTAIN_STATUS]: null }, { unschedulable: false, taints: null });
  await create('waiting');
  await running('waiting');
  const conditions = [
    { type: 'Ready', status: 'True' },
    { type: 'LiveMigratable', status: 'True' },
  ];
  await cluster.admin.of(Vmi).patch('waiting', { status: { conditions } }, { ...at, type: 'merge' });
  const taints = [{ key: DRAIN_TAINT, effect: 'NoSchedule' }];
  await annotate({ [MAINTAIN_STATUS]: 'running' }, { unschedulable: true, taints });
  await observed<VirtualMachineInstanceMigration>(
    cluster.admin,
    VirtualMachineInstanceMigration,
    ({ spec, status }) => spec.vmiName === 'waiting' && status?.phase === 'Scheduling',
  );
  const { status } = await cluster.admin.of(Vmi).get('waiting', at);
  expect(status?.evacuationNodeName).toBeUndefined();
  const configuration = { evictionStrategy: 'External' };
  const inKubeVirt = { namespace: 'kubevirt', type: 'merge' } as const;
  await cluster.admin.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, inKubeVirt);
  const marked = await observed<Vmi>(cluster.admin, Vmi, (vmi) => isConditionTrue(vmi, EVICTION_REQUESTED));
  expect(marked.status?.evacuationNodeName).toBe(NODE_NAME);
});

it('maintenance stops a VM that waits for another node when its VM gets a strategy that says so', async () => {
  const labels = { [MAINTAIN_STRATEGY]: 'Shutdown' };
  await cluster.admin.of(Vm).patch('waiting', { metadata: { labels } }, { ...at, type: 'merge' });
  await nodeWith('completed');
  expect((await cluster.admin.of(Vm).get('waiting', at)).spec.runStrategy).toBe('Halted');
});

it('VMs that wait for a node that is gone are started', async () => {
  const { metadata, ...rest } = vmDraft('left', { runStrategy: 'Halted' });
  const annotations = { [MAINTAIN_NODE]: 'gone', [RUN_STRATEGY]: 'Manual' };
  await cluster.admin.of(Vm).create({ ...rest, metadata: { ...metadata, annotations } });
  await observed<Vm>(cluster.admin, Vm, (vm) => vm.metadata.name === 'left' && vm.spec.runStrategy === 'Manual');
});

it('an upgrade log can be collected', async () => {
  await cluster.admin.of(UpgradeLog).create({ metadata: { name: 'log', ...at }, spec: { upgradeName: 'u' } });
  const { status } = await observed<UpgradeLog>(cluster.admin, UpgradeLog, (log) => log.status !== undefined);
  const conditions = status?.conditions?.map(({ type, status: is }) => `${type} ${is}`);
  expect(conditions).toEqual(['LoggingOperatorReady True', 'InfraReady True', 'Started True', 'DownloadReady False']);
});

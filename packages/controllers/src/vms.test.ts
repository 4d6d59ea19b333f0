import { ControllerRevision, Event, findCondition, type KubeObject, Pod } from '@vireo/api';
import { Vm, type VmStatus } from '@vireo/api/kinds/kubevirt/vm.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from './testing/cluster.ts';
import { gone, observed, Writes } from './testing/watching.ts';

let cluster: Cluster;
/** VMs whose guests fail as soon as they are started. */
const crashing = new Set<string>();
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode({ crashes: ({ metadata }) => crashing.has(metadata.name) });
  await cluster.startControllers();
});
afterAll(async () => {
  await cluster.close();
  expect(cluster.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
});

const isOf = (name: string) => (object: KubeObject) =>
  object.metadata.name === name ||
  object.metadata.labels?.app === name ||
  (object.metadata.ownerReferences ?? []).some((owner) => owner.name === name);
const vmSeen = (name: string, fits: (vm: Vm) => boolean) =>
  observed<Vm>(cluster.admin, Vm, (vm) => vm.metadata.name === name && fits(vm));
const shown = (name: string, word: string) => vmSeen(name, ({ status }) => status?.printableStatus === word);
const vmiSeen = (name: string, fits: (vmi: Vmi) => boolean) =>
  observed<Vmi>(cluster.admin, Vmi, (vmi) => vmi.metadata.name === name && fits(vmi));
/** Another VMI than that one, and it runs. */
const replaced = (name: string, uid: string | undefined) =>
  vmiSeen(name, ({ metadata, status }) => metadata.uid !== uid && status?.phase === 'Running');
const create = async (name: string, runStrategy: string, word = 'Running'): Promise<Vm> => {
  await cluster.admin.of(Vm).create(vmDraft(name, { runStrategy }));
  return shown(name, word);
};
/** Asks for a start, a stop or both, as the subresources of a VM do. */
const request = (name: string, stateChangeRequests: VmStatus['stateChangeRequests']) =>
  cluster.admin.of(Vm).patchStatus(name, { status: { stateChangeRequests } }, merge);
/** The guest ends by itself, as its node would tell. */
const guestEnds = (name: string, phase: 'Succeeded' | 'Failed') =>
  cluster.admin.of(Vmi).patch(name, { status: { phase } }, merge);
const getVmi = (name: string) => cluster.admin.of(Vmi).get(name, at);

describe('a VM from create to delete', () => {
  it('starts with few writes', async () => {
    const writes = await Writes.follow(cluster.admin, [Vm, Vmi, Pod, ControllerRevision], isOf('frugal'));
    await cluster.admin.of(Vm).create(vmDraft('frugal'));
    await vmSeen('frugal', ({ status }) => status?.ready === true);
    writes.stop();
    const isRunning = (write: string) => write.startsWith('update VirtualMachineInstance') && write.includes('Running');
    const untilRunning = writes.seen.findIndex(isRunning) + 1;
    console.log(`writes from create to Running: ${untilRunning}, to ready: ${writes.seen.length}`);
    console.log(writes.seen.map((write, index) => `${index + 1}. ${write}`).join('\n'));
    expect(untilRunning).toBeGreaterThan(5);
    expect(untilRunning).toBeLessThanOrEqual(10);
    expect(writes.seen.length).toBeLessThanOrEqual(13);
  });

  it('shows itself as KubeVirt shows it', async () => {
    await create('shown', 'Always');
    const { metadata, status } = await vmSeen('shown', (vm) => vm.status?.ready === true);
    expect(status).toMatchObject({
      created: true,
      ready: true,
      printableStatus: 'Running',
      runStrategy: 'Always',
      observedGeneration: 1,
      desiredGeneration: 1,
    });
    expect(findCondition(status?.conditions, 'Ready')?.status).toBe('True');
    const vmi = await getVmi('shown');
    expect(vmi.status).toMatchObject({
      phase: 'Running',
      nodeName: 'fake-node',
      qosClass: 'Burstable',
      launcherContainerImageVersion: 'vireo/virt-launcher',
      virtualMachineRevisionName: `revision-start-vm-${metadata.uid}-1`,
    });
    expect(vmi.status?.phaseTransitionTimestamps?.map(({ phase }) => phase)).toEqual([
      'Pending',
      'Scheduling',
      'Scheduled',
      'Running',
    ]);
    expect(vmi.metadata.labels).toMatchObject({ app: 'shown', 'kubevirt.io/nodeName': 'fake-node' });
    const [pod] = (await cluster.admin.of(Pod).list({ ...at, labelSelector: 'app=shown' })).items;
    const reported = async () =>
      (await cluster.admin.of(Event).list(at)).items
        .filter(({ involvedObject }) => involvedObject.name === 'shown')
        .map(({ involvedObject, reason, message }) => `${involvedObject.kind} ${reason}: ${message}`)
        .sort();
    await expect
      .poll(reported)
      .toEqual([
        'VirtualMachine SuccessfulCreate: Started the virtual machine by creating the new virtual machine instance shown',
        `VirtualMachineInstance SuccessfulCreate: Created virtual machine pod ${pod?.metadata.name}`,
      ]);
  });

  it('leaves nothing behind', async () => {
    await create('leaving', 'Always');
    await cluster.admin.of(Vm).delete('leaving', at);
    for (const kind of [Vm, Vmi, Pod, ControllerRevision]) await gone(cluster.admin, kind, isOf('leaving'));
  });

  it('gets finalizer and firmware UUID where admission gave none', async () => {
    const { metadata, spec } = vmDraft('bare');
    const template = { spec: { ...spec.template.spec, domain: { devices: {}, memory: { guest: '64Mi' } } } };
    await cluster.admin.of(Vm).create({ metadata, spec: { ...spec, template } });
    const vm = await shown('bare', 'Running');
    expect(vm.metadata.finalizers).toEqual(['kubevirt.io/virtualMachineControllerFinalize']);
    const uuid = vm.spec.template.spec?.domain.firmware?.uuid;
    expect(uuid).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-5/);
    expect((await getVmi('bare')).spec.domain.firmware?.uuid).toBe(uuid);
  });

  it('lets its VMI live when it is deleted without its dependents', async () => {
    await create('orphaning', 'Always');
    await cluster.admin.of(Vm).delete('orphaning', { ...at, propagationPolicy: 'Orphan' });
    await gone(cluster.admin, Vm, isOf('orphaning'));
    const vmi = await vmiSeen('orphaning', ({ metadata }) => !metadata.ownerReferences?.length);
    expect(vmi.metadata.deletionTimestamp).toBeUndefined();
    await cluster.admin.of(Vmi).delete('orphaning', at);
    await gone(cluster.admin, Vmi, isOf('orphaning'));
  });
});

describe('run strategies', () => {
  it('Always: a guest that shut itself down is started again', async () => {
    await create('always', 'Always');
    const { metadata } = await getVmi('always');
    await guestEnds('always', 'Succeeded');
    await replaced('always', metadata.uid);
  });

  it('Always to Halted: stopped, and nothing is left but the VM', async () => {
    await create('halted', 'Always');
    await cluster.admin.of(Vm).patch('halted', { spec: { runStrategy: 'Halted' } }, merge);
    const { status } = await vmSeen('halted', (vm) => vm.status?.created === false);
    expect(status).toMatchObject({ printableStatus: 'Stopped', ready: false });
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'VMINotExists' });
    await gone(cluster.admin, Pod, isOf('halted'));
  });

  it('Halted: a start request makes it Always', async () => {
    await create('resumed', 'Halted', 'Stopped');
    await request('resumed', [{ action: 'Start', data: { paused: 'true' } }]);
    const vm = await shown('resumed', 'Running');
    expect(vm.spec.runStrategy).toBe('Always');
    expect((await getVmi('resumed')).spec.startStrategy).toBe('Paused');
    expect(vm.status?.stateChangeRequests).toBeUndefined();
  });

  it('Manual: starts, restarts and stops when asked to, and only then', async () => {
    await create('manual', 'Manual', 'Stopped');
    await request('manual', [{ action: 'Start' }]);
    await shown('manual', 'Running');
    const first = await getVmi('manual');
    await request('manual', [{ action: 'Stop', uid: first.metadata.uid }, { action: 'Start' }]);
    const second = await replaced('manual', first.metadata.uid);
    await vmSeen('manual', ({ status }) => status?.printableStatus === 'Running' && !status.stateChangeRequests);
    await guestEnds('manual', 'Succeeded');
    await shown('manual', 'Stopped');
    expect((await getVmi('manual')).metadata.uid).toBe(second.metadata.uid);
    await request('manual', [{ action: 'Stop', uid: second.metadata.uid }]);
    await gone(cluster.admin, Vmi, isOf('manual'));
  });

  it('RerunOnFailure: failed guests come back, guests that shut down stay down', async () => {
    await create('rerun', 'RerunOnFailure');
    const first = await getVmi('rerun');
    await guestEnds('rerun', 'Failed');
    const second = await replaced('rerun', first.metadata.uid);
    await vmSeen('rerun', ({ status }) => status?.printableStatus === 'Running' && !status.stateChangeRequests);
    await guestEnds('rerun', 'Succeeded');
    await gone(cluster.admin, Vmi, ({ metadata }) => metadata.uid === second.metadata.uid);
    const { status } = await vmSeen('rerun', (vm) => vm.status?.created === false);
    expect(status).toMatchObject({ printableStatus: 'Stopped', runStrategy: 'RerunOnFailure' });
  });

  it('Once: what has ended stays as it is', async () => {
    await create('once', 'Once');
    const { metadata } = await getVmi('once');
    await guestEnds('once', 'Failed');
    await shown('once', 'Stopped');
    const after = await getVmi('once');
    expect([after.metadata.uid, isFinal(after)]).toEqual([metadata.uid, true]);
  });

  it('a VM whose guest does not start backs off, and is started again later', async () => {
    crashing.add('crashing');
    const vm = await create('crashing', 'Always', 'CrashLoopBackOff');
    expect(vm.status?.startFailure?.consecutiveFailCount).toBe(1);
    await gone(cluster.admin, Vmi, isOf('crashing'));
    crashing.delete('crashing');
    await cluster.admin.of(Vm).patchStatus('crashing', { status: { startFailure: null } }, merge);
    await shown('crashing', 'Running');
  });
});

describe('changes of a running VM', () => {
  it('RestartRequired says that a restart is needed, and goes with it', async () => {
    const { metadata } = await create('changed', 'Always').then(() => getVmi('changed'));
    const memory = (guest: string) => ({ spec: { template: { spec: { domain: { memory: { guest } } } } } });
    await cluster.admin.of(Vm).patch('changed', memory('128Mi'), merge);
    const needs = (vm: Vm) => findCondition(vm.status?.conditions, 'RestartRequired')?.status === 'True';
    const { status } = await vmSeen('changed', needs);
    expect([status?.observedGeneration, status?.desiredGeneration]).toEqual([1, 2]);
    await request('changed', [{ action: 'Stop', uid: metadata.uid }]);
    const next = await replaced('changed', metadata.uid);
    expect(next.spec.domain.memory?.guest).toBe('128Mi');
    const after = await vmSeen('changed', (vm) => !needs(vm) && vm.status?.printableStatus === 'Running');
    expect([after.status?.observedGeneration, after.status?.desiredGeneration]).toEqual([2, 2]);
    await gone(
      cluster.admin,
      ControllerRevision,
      ({ metadata: { name } }) => name === `revision-start-vm-${after.metadata.uid}-1`,
    );
  });

  it('a change that needs no restart reaches the VMI', async () => {
    await create('moved', 'Always');
    const nodeSelector = { zone: 'north' };
    await cluster.admin.of(Vm).patch('moved', { spec: { template: { spec: { nodeSelector } } } }, merge);
    const vmi = await vmiSeen('moved', ({ spec }) => spec.nodeSelector?.zone === 'north');
    expect(vmi.metadata.annotations?.['kubevirt.io/vm-generation']).toBe('2');
    const { status } = await vmSeen('moved', (vm) => vm.status?.observedGeneration === 2);
    expect(findCondition(status?.conditions, 'RestartRequired')).toBeUndefined();
  });
});

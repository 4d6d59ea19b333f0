import {
  conditionOf,
  Event,
  findCondition,
  type KubeObject,
  Node,
  PersistentVolumeClaim,
  Pod,
  ResourceQuota,
  StorageClass,
} from '@vireo/api';
import { BOUND_MESSAGE } from '@vireo/api/kinds/cdi/names.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import type { Draft } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from './testing/cluster.ts';
import { NODE_NAME } from './testing/fakeNode.ts';
import { gone, observed } from './testing/watching.ts';
import { launcherName } from './vmi/launcherName.ts';

let cluster: Cluster;
/** VMs whose launchers the node does not get ready. */
const unprepared = new Set<string>();
const at = { namespace: NAMESPACE };

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode({ prepares: ({ metadata }) => !unprepared.has(metadata.labels?.app ?? '') });
  await cluster.startControllers();
});
afterAll(async () => {
  await cluster.close();
});

type TemplateSpec = NonNullable<Vm['spec']['template']['spec']>;
const create = async (name: string, changed: Partial<TemplateSpec> = {}): Promise<void> => {
  const { spec, ...rest } = vmDraft(name, { runStrategy: 'Once' });
  const template = { ...spec.template, spec: { ...(spec.template.spec as TemplateSpec), ...changed } };
  await cluster.admin.of(Vm).create({ ...rest, spec: { ...spec, template } });
};
const shown = (name: string, word: string) =>
  observed<Vm>(cluster.admin, Vm, ({ metadata, status }) => metadata.name === name && status?.printableStatus === word);
const vmiSeen = (name: string, fits: (vmi: Vmi) => boolean) =>
  observed<Vmi>(cluster.admin, Vmi, (vmi) => vmi.metadata.name === name && fits(vmi));
const ofVm = (name: string) => (object: KubeObject) =>
  object.metadata.name === name || object.metadata.labels?.app === name;
const podOf = async (name: string) => cluster.admin.of(Pod).get(launcherName(await vmiSeen(name, () => true)), at);
const podSeen = (name: string) => observed<Pod>(cluster.admin, Pod, ofVm(name));

/** A VMI that belongs to no VM. */
const alone = (name: string): Draft<Vmi> => ({
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachineInstance',
  metadata: {
    name,
    namespace: NAMESPACE,
    labels: { app: name },
    finalizers: ['kubevirt.io/foregroundDeleteVirtualMachine'],
  },
  spec: vmDraft(name).spec.template.spec as TemplateSpec,
});

const choose = (configuration: object) =>
  cluster.admin.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, { namespace: 'kubevirt', type: 'merge' });
const OPEN = { featureGates: ['ConfigurableHypervisor'], useEmulation: false };
const CLOSED = { featureGates: null, useEmulation: true };

describe('a change of the hypervisor', () => {
  it('gives a VM that waits for the old one a launcher of the new one', async () => {
    await choose({ hypervisorConfiguration: { name: 'hyperv-layered' }, developerConfiguration: OPEN });
    await create('switched');
    const before = await podSeen('switched');
    await vmiSeen('switched', ({ status }) => findCondition(status?.conditions, 'PodScheduled')?.status === 'False');
    await choose({ hypervisorConfiguration: null, developerConfiguration: CLOSED });
    await shown('switched', 'Running');
    const after = await podSeen('switched');
    expect(after.metadata.uid).not.toBe(before.metadata.uid);
    expect(after.spec?.nodeSelector).toMatchObject({ 'hypervisor.node.kubevirt.io/name': 'qemu' });
  });

  it('to one that is not loaded lets no VM start, and says so', async () => {
    await choose({ hypervisorConfiguration: { name: 'turbo' }, developerConfiguration: OPEN });
    await cluster.admin.of(Vmi).create(alone('held'));
    const { status } = await vmiSeen('held', (vmi) => conditionOf(vmi, 'Synchronized')?.status === 'False');
    expect(findCondition(status?.conditions, 'Synchronized')).toMatchObject({
      reason: 'HypervisorNotAvailable',
      message: expect.stringContaining('the cluster is configured for the hypervisor "turbo", which is not loaded'),
    });
    expect((await cluster.admin.of(Pod).list(at)).items.filter(ofVm('held'))).toEqual([]);
    await choose({ hypervisorConfiguration: null, developerConfiguration: CLOSED });
    await vmiSeen('held', (vmi) => vmi.status?.phase === 'Running');
  });
});

describe('a VM does not start, and says why,', () => {
  it('while the hypervisor of its node is not ready', async () => {
    const label = (value: string | null) =>
      cluster.admin
        .of(Node)
        .patch(NODE_NAME, { metadata: { labels: { 'hypervisor.node.kubevirt.io/name': value } } }, { type: 'merge' });
    await label(null);
    await create('patient');
    await vmiSeen('patient', ({ status }) => findCondition(status?.conditions, 'PodScheduled')?.status === 'False');
    await label('qemu');
    await shown('patient', 'Running');
  });

  it('until its claim exists', async () => {
    await create('claiming', { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'disk' } }] });
    await shown('claiming', 'ErrorPvcNotFound');
    const { status } = await vmiSeen('claiming', () => true);
    expect(findCondition(status?.conditions, 'Synchronized')).toMatchObject({
      status: 'False',
      reason: 'FailedPvcNotFound',
      message: 'PVC shop/disk of volume "root" does not exist, waiting for it to appear',
    });
    const warned = (event: Event) => event.reason === 'FailedPvcNotFound' && event.involvedObject.name === 'claiming';
    await observed<Event>(cluster.admin, Event, warned);
    const resources = { requests: { storage: '1Gi' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources, volumeName: 'v', storageClassName: '' };
    const claim = await cluster.admin.of(PersistentVolumeClaim).create({ metadata: { name: 'disk', ...at }, spec });
    await shown('claiming', 'WaitingForVolumeBinding');
    await cluster.admin.of(PersistentVolumeClaim).updateStatus({ ...claim, status: { phase: 'Bound' } });
    await vmiSeen('claiming', (vmi) => !findCondition(vmi.status?.conditions, 'Synchronized'));
  });

  it('while no node has room for its claim', async () => {
    const why = 'node n1: not enough space in /volumes: 9 TiB needed, but less is free';
    const resources = { requests: { storage: '9Ti' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources, volumeName: 'v', storageClassName: '' };
    const annotations = { [BOUND_MESSAGE]: why };
    await cluster.admin.of(PersistentVolumeClaim).create({ metadata: { name: 'vast', ...at, annotations }, spec });
    await create('vast', { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'vast' } }] });
    const isTold = ({ status }: Vmi | Vm) =>
      findCondition(status?.conditions, 'Synchronized')?.message === `PVC shop/vast of volume "root": ${why}`;
    await vmiSeen('vast', isTold);
    await observed<Vm>(cluster.admin, Vm, (vm) => vm.metadata.name === 'vast' && isTold(vm));
    const warned = (event: Event) => event.reason === 'ProvisioningFailed' && event.involvedObject.name === 'vast';
    await observed<Event>(cluster.admin, Event, warned);
  });

  it('while its claim is of a class whose volumes nodes cannot mount', async () => {
    const meta = { metadata: { name: 'ceph' }, provisioner: 'rbd.csi.ceph.com' };
    await cluster.admin.of(StorageClass).create(meta);
    const resources = { requests: { storage: '1Gi' } };
    const spec = { accessModes: ['ReadWriteOnce'], resources, storageClassName: 'ceph' };
    await cluster.admin.of(PersistentVolumeClaim).create({ metadata: { name: 'foreign', ...at }, spec });
    await create('foreign', { volumes: [{ name: 'root', persistentVolumeClaim: { claimName: 'foreign' } }] });
    const { status } = await vmiSeen(
      'foreign',
      (vmi) => findCondition(vmi.status?.conditions, 'Synchronized') !== undefined,
    );
    expect(findCondition(status?.conditions, 'Synchronized')).toMatchObject({
      reason: 'UnsupportedVolume',
      message: expect.stringMatching(
        /^PVC shop\/foreign of volume "root" cannot be used: it is of StorageClass ceph \(provisioner rbd\.csi\.ceph\.com\), whose volumes .*: use a class of vireo\.io\/local, or/,
      ),
    });
    const warned = (event: Event) => event.reason === 'UnsupportedVolume' && event.involvedObject.name === 'foreign';
    await observed<Event>(cluster.admin, Event, warned);
  });

  it('while no node fits', async () => {
    await create('homeless', { nodeSelector: { moon: 'dark-side' } });
    const { status } = await shown('homeless', 'ErrorUnschedulable');
    expect(findCondition(status?.conditions, 'PodScheduled')).toMatchObject({
      status: 'False',
      reason: 'Unschedulable',
    });
    expect((await vmiSeen('homeless', () => true)).status?.phase).toBe('Scheduling');
  });

  it('while no node has enough memory', async () => {
    const { spec } = vmDraft('huge').spec.template;
    await create('huge', { domain: { ...(spec as TemplateSpec).domain, memory: { guest: '100Ti' } } });
    const { status } = await shown('huge', 'ErrorUnschedulable');
    const { message } = findCondition(status?.conditions, 'PodScheduled') ?? {};
    expect(message).toMatch(/^0\/1 nodes are available: 1 Insufficient memory\. /);
    expect(message).toMatch(/It requests 100\.?\d*Ti of memory; at most \S+ is free on any node/);
  });

  it('until the quota has room for its launcher pod', async () => {
    const quota = { metadata: { name: 'none', ...at }, spec: { hard: { pods: '0' } } };
    await cluster.admin.of(ResourceQuota).create(quota);
    await create('refused');
    const isRefused = ({ status }: Vmi) => findCondition(status?.conditions, 'Synchronized')?.reason === 'FailedCreate';
    const { status } = await vmiSeen('refused', isRefused);
    expect(findCondition(status?.conditions, 'Synchronized')?.message).toContain('exceeded quota: none');
    await cluster.admin.of(ResourceQuota).delete('none', at);
    await shown('refused', 'Running');
  });

  it('until a VMI of its name that it does not own is gone', async () => {
    await cluster.admin.of(Vmi).create(alone('taken'));
    await vmiSeen('taken', ({ status }) => status?.phase === 'Running');
    await create('taken');
    const hasFailed = ({ metadata, status }: Vm) =>
      metadata.name === 'taken' && findCondition(status?.conditions, 'Failure')?.reason === 'FailedCreate';
    const { status } = await observed<Vm>(cluster.admin, Vm, hasFailed);
    expect(findCondition(status?.conditions, 'Failure')?.message).toContain('already exists');
    await cluster.admin.of(Vmi).delete('taken', at);
    await shown('taken', 'Running');
  });

  it('while its image cannot be pulled', async () => {
    unprepared.add('imageless');
    await create('imageless');
    const pod = await podSeen('imageless');
    const wait = (reason: string, message: string) => {
      const state = { waiting: { reason, message } };
      const compute = { name: 'compute', ready: false, restartCount: 0, image: 'i', imageID: '', state };
      const patch = { status: { containerStatuses: [compute] } };
      return cluster.admin.of(Pod).patchStatus(pod.metadata.name, patch, { ...at, type: 'merge' });
    };
    await wait('ContainerCreating', 'pulling image "nowhere/nothing"');
    const isPulling = ({ status }: Vmi) =>
      findCondition(status?.conditions, 'Synchronized')?.message?.startsWith('pull');
    await vmiSeen('imageless', (vmi) => isPulling(vmi) === true);
    await wait('ErrImagePull', 'image nowhere/nothing: not found');
    const { status } = await shown('imageless', 'ErrImagePull');
    expect(findCondition(status?.conditions, 'Synchronized')?.message).toBe('image nowhere/nothing: not found');
    const isWarning = ({ type, involvedObject }: Event) => type === 'Warning' && involvedObject.name === 'imageless';
    await observed<Event>(cluster.admin, Event, (event) => isWarning(event) && event.reason === 'ErrImagePull');
    const { items } = await cluster.admin.of(Event).list(at);
    expect(items.filter(isWarning).map(({ reason }) => reason)).toEqual(['ErrImagePull']);
  });
});

describe('a launcher pod', () => {
  it('is in the status of the VMI while it starts', async () => {
    unprepared.add('slow');
    await create('slow');
    const { status } = await vmiSeen('slow', (vmi) => vmi.status?.phase === 'Scheduling');
    expect(Object.values(status?.activePods ?? {})).toHaveLength(1);
    expect(findCondition(status?.conditions, 'Ready')).toMatchObject({ status: 'False', reason: 'GuestNotRunning' });
  });

  it('that a user deletes shuts its guest down', async () => {
    await create('evicted');
    await shown('evicted', 'Running');
    const pod = await podOf('evicted');
    await cluster.admin.of(Pod).delete(pod.metadata.name, at);
    await vmiSeen('evicted', ({ status }) => status?.phase === 'Succeeded');
  });

  it('that is deleted by force before the guest runs fails its VMI', async () => {
    unprepared.add('lost');
    await create('lost');
    await vmiSeen('lost', ({ status }) => status?.phase === 'Scheduling');
    const pod = await podOf('lost');
    await cluster.admin.of(Pod).delete(pod.metadata.name, { ...at, gracePeriodSeconds: 0 });
    await vmiSeen('lost', ({ status }) => status?.phase === 'Failed');
  });

  it('is not ready while its guest is paused', async () => {
    await create('paused');
    await shown('paused', 'Running');
    const conditions = [{ type: 'Paused', status: 'True', reason: 'PausedByUser' }];
    await cluster.admin.of(Vmi).patch('paused', { status: { conditions } }, { ...at, type: 'merge' });
    await shown('paused', 'Paused');
    const isPaused = ({ metadata, status }: Pod) =>
      metadata.labels?.app === 'paused' &&
      findCondition(status?.conditions, 'kubevirt.io/virtual-machine-unpaused')?.status === 'False';
    await observed<Pod>(cluster.admin, Pod, isPaused);
  });
});

describe('a VMI by itself', () => {
  it('runs, and leaves nothing when it is deleted', async () => {
    await cluster.admin.of(Vmi).create(alone('alone'));
    await vmiSeen('alone', ({ status }) => status?.phase === 'Running');
    await cluster.admin.of(Vmi).delete('alone', at);
    await gone(cluster.admin, Vmi, ofVm('alone'));
    await gone(cluster.admin, Pod, ofVm('alone'));
  });

  it('that never got a launcher pod is deleted at once', async () => {
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'never' } }];
    const vmi = alone('waiting');
    await cluster.admin.of(Vmi).create({ ...vmi, spec: { ...vmi.spec, volumes } });
    await vmiSeen('waiting', ({ status }) => status?.phase === 'Pending');
    await cluster.admin.of(Vmi).delete('waiting', at);
    await gone(cluster.admin, Vmi, ofVm('waiting'));
  });
});

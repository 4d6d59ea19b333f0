import { DaemonSet, Deployment, Event, findCondition, Node } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, startCluster } from '../testing/cluster.ts';
import { NODE_NAME } from '../testing/fakeNode.ts';
import { observed } from '../testing/watching.ts';
import type { ComponentName } from './components.ts';

let cluster: Cluster;
const unwell = new Set<ComponentName>();
let tell = () => {};
const refused: { plugin: string; problem: string }[] = [];

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode();
  await cluster.startControllers({
    health: {
      isReady: (component) => !unwell.has(component),
      hypervisorProblems: () => refused,
      onChange: (callback) => {
        tell = callback;
        return () => {};
      },
    },
  });
});
afterAll(() => cluster.close());

const conditions = ({ status }: KubeVirt) => status?.conditions?.map(({ type, status: is }) => `${type} ${is}`);
const kubevirtSeen = (fits: (kubevirt: KubeVirt) => boolean) => observed<KubeVirt>(cluster.admin, KubeVirt, fits);
const isAvailable = (is: string) => (kubevirt: KubeVirt) =>
  findCondition(kubevirt.status?.conditions, 'Available')?.status === is;

describe('the installation', () => {
  it('shows as deployed, with the parts that tools look for', async () => {
    const kubevirt = await kubevirtSeen(isAvailable('True'));
    expect(conditions(kubevirt)).toEqual(['Created True', 'Available True', 'Progressing False', 'Degraded False']);
    expect(kubevirt.status).toMatchObject({
      phase: 'Deployed',
      observedGeneration: kubevirt.metadata.generation,
      observedKubeVirtVersion: 'v1.9.0',
      targetKubeVirtVersion: 'v1.9.0',
      operatorVersion: 'v1.9.0',
      defaultArchitecture: 'amd64',
      activeHypervisor: 'qemu',
    });
    const at = { namespace: 'kubevirt' };
    for (const name of ['virt-operator', 'virt-api', 'virt-controller']) {
      const isThere = ({ metadata, status }: Deployment) => metadata.name === name && status?.readyReplicas === 1;
      const { metadata, status } = await observed<Deployment>(cluster.admin, Deployment, isThere);
      expect([metadata.namespace, metadata.labels?.['kubevirt.io']]).toEqual(['kubevirt', name]);
      expect(status).toMatchObject({ observedGeneration: 1, availableReplicas: 1 });
    }
    await expect
      .poll(() => cluster.admin.of(DaemonSet).get('virt-handler', at))
      .toMatchObject({ status: { desiredNumberScheduled: 1, numberReady: 1 } });
  });

  it('shows which part is not ready, and when it is again', async () => {
    unwell.add('virt-api');
    tell();
    const kubevirt = await kubevirtSeen(isAvailable('False'));
    expect(findCondition(kubevirt.status?.conditions, 'Degraded')).toMatchObject({
      status: 'True',
      message: 'Not ready: virt-api.',
    });
    const isUnavailable = ({ metadata, status }: Deployment) =>
      metadata.name === 'virt-api' && findCondition(status?.conditions, 'Available')?.status === 'False';
    await observed<Deployment>(cluster.admin, Deployment, isUnavailable);
    unwell.clear();
    tell();
    await kubevirtSeen(isAvailable('True'));
  });

  it('counts nodes that take no VMs', async () => {
    const schedulable = (value: string) => ({ metadata: { labels: { 'kubevirt.io/schedulable': value } } });
    await cluster.admin.of(Node).patch(NODE_NAME, schedulable('false'), { type: 'merge' });
    await observed<DaemonSet>(cluster.admin, DaemonSet, ({ status }) => status?.numberReady === 0);
    const { status } = await kubevirtSeen(isAvailable('False'));
    expect(findCondition(status?.conditions, 'Available')?.message).toBe('Not ready: virt-handler.');
    await cluster.admin.of(Node).patch(NODE_NAME, schedulable('true'), { type: 'merge' });
    await kubevirtSeen(isAvailable('True'));
  });

  it('counts nodes whose libvirt does not answer', async () => {
    const ready = (status: string) => ({ status: { conditions: [{ type: 'Ready', status }] } });
    await cluster.admin.of(Node).patchStatus(NODE_NAME, ready('False'), { type: 'strategic' });
    await observed<DaemonSet>(cluster.admin, DaemonSet, ({ status }) => status?.numberReady === 0);
    await kubevirtSeen(isAvailable('False'));
    await cluster.admin.of(Node).patchStatus(NODE_NAME, ready('True'), { type: 'strategic' });
    await kubevirtSeen(isAvailable('True'));
  });

  it('shows which hypervisor plug-in is not used, and why, by a condition and an event', async () => {
    refused.push({ plugin: 'turbo', problem: 'does not register a hypervisor' });
    tell();
    const isDegraded = ({ status }: KubeVirt) => findCondition(status?.conditions, 'Degraded')?.status === 'True';
    const { status } = await kubevirtSeen(isDegraded);
    const message = 'The hypervisor plug-in turbo is not used: does not register a hypervisor.';
    expect(findCondition(status?.conditions, 'Degraded')).toMatchObject({ reason: 'HypervisorPluginFailed', message });
    expect(findCondition(status?.conditions, 'Available')).toMatchObject({ status: 'True' });
    await observed<Event>(
      cluster.admin,
      Event,
      ({ reason, message: text }) => reason === 'HypervisorPluginFailed' && text === message,
    );
    refused.length = 0;
    tell();
    await kubevirtSeen((kubevirt) => !isDegraded(kubevirt));
  });

  it('is not available while the hypervisor that it asks for is not loaded', async () => {
    const choose = (configuration: object) =>
      cluster.admin
        .of(KubeVirt)
        .patch('kubevirt', { spec: { configuration } }, { namespace: 'kubevirt', type: 'merge' });
    await choose({
      hypervisorConfiguration: { name: 'turbo' },
      developerConfiguration: { featureGates: ['ConfigurableHypervisor'] },
    });
    const { status } = await kubevirtSeen(isAvailable('False'));
    expect(status?.activeHypervisor).toBeUndefined();
    expect(findCondition(status?.conditions, 'Degraded')).toMatchObject({
      status: 'True',
      reason: 'HypervisorNotAvailable',
      message: expect.stringContaining('the cluster is configured for the hypervisor "turbo", which is not loaded'),
    });
    await choose({ hypervisorConfiguration: null, developerConfiguration: { featureGates: null } });
    await kubevirtSeen((kubevirt) => isAvailable('True')(kubevirt) && kubevirt.status?.activeHypervisor === 'qemu');
  });

  it('brings back a part that somebody deleted', async () => {
    const at = { namespace: 'kubevirt' };
    const { metadata } = await cluster.admin.of(Deployment).get('virt-api', at);
    await cluster.admin.of(Deployment).delete('virt-api', at);
    const isNew = (each: Deployment) => each.metadata.name === 'virt-api' && each.metadata.uid !== metadata.uid;
    await observed<Deployment>(cluster.admin, Deployment, isNew);
  });
});

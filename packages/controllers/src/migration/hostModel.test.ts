import { Event, isConditionTrue, Node, type Persisted, Pod } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { MIGRATION_FINALIZER, Migration } from '@vireo/api/kinds/kubevirt/migration.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { observed } from '../testing/watching.ts';

// KubeVirt's tests/migration/host_model.go. Processors are seen with KVM alone, which few hosts of tests have: stand-ins
// play the agents of the nodes, with the labels that real ones would have (testing/fakeNode.ts).

const LABELS = 'node.kubevirt.io';
const host = (model: string, ...features: string[]) => ({
  [`host-model-cpu.${LABELS}/${model}`]: 'true',
  ...Object.fromEntries(features.map((feature) => [`host-model-required-features.${LABELS}/${feature}`, 'true'])),
});
const supports = (models: readonly string[], features: readonly string[]) => ({
  [`cpu-vendor.${LABELS}/Intel`]: 'true',
  ...Object.fromEntries(models.map((model) => [`cpu-model-migration.${LABELS}/${model}`, 'true'])),
  ...Object.fromEntries(features.map((feature) => [`cpu-feature.${LABELS}/${feature}`, 'true'])),
});

let cluster: Cluster;
const at = { namespace: NAMESPACE };
const label = (name: string, labels: object) =>
  cluster.admin.of(Node).patch(name, { metadata: { labels } }, { type: 'merge' });

beforeEach(async () => {
  cluster = await startCluster();
  const configuration = { developerConfiguration: { useEmulation: false } };
  const body = { spec: { configuration } };
  await cluster.admin.of(KubeVirt).patch('kubevirt', body, { namespace: 'kubevirt', type: 'merge' });
  for (const name of ['source', 'target']) {
    await cluster.startNode({ name });
    const labels = { ...host('Skylake', 'vmx'), ...supports(['Skylake', 'Haswell'], ['vmx', 'invtsc']) };
    await label(name, { ...labels, [`hypervisor.${LABELS}/name`]: 'kvm' });
  }
  await cluster.startControllers();
});
afterEach(() => cluster.close());

/** A VMI with the processor of its host, on the node `source`. */
async function running(): Promise<Vmi> {
  const draft = vmDraft('web');
  const { spec } = draft.spec.template as { spec: Vmi['spec'] };
  const domain = { ...spec.domain, cpu: { model: 'host-model' } };
  const term = { matchExpressions: [{ key: 'kubernetes.io/hostname', operator: 'In', values: ['source'] }] };
  const affinity = {
    nodeAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, preference: term }] },
  };
  await cluster.admin.of(Vm).create({
    ...draft,
    spec: { ...draft.spec, template: { ...draft.spec.template, spec: { ...spec, domain, affinity } } },
  });
  const vmi = await observed<Vmi>(
    cluster.admin,
    Vmi,
    (each) => each.status?.phase === 'Running' && isConditionTrue(each, 'Ready'),
  );
  expect(vmi.status?.nodeName).toBe('source');
  return vmi;
}

/** As admission would have left it. */
const migrate = (name: string) =>
  cluster.admin.of(Migration).create({
    metadata: { ...at, name, labels: { 'kubevirt.io/vmi-name': 'web' }, finalizers: [MIGRATION_FINALIZER] },
    spec: { vmiName: 'web' },
  });
async function migrated(name: string): Promise<Persisted<Pod>> {
  await migrate(name);
  await observed<Migration>(
    cluster.admin,
    Migration,
    (each) => each.metadata.name === name && each.status?.phase === 'Succeeded',
  );
  const { status } = await cluster.admin.of(Vmi).get('web', at);
  const { items } = await cluster.admin.of(Pod).list(at);
  return items.find(({ spec }) => spec?.nodeName === status?.nodeName) as Persisted<Pod>;
}
const features = ({ spec }: Persisted<Pod>): string[] =>
  Object.keys(spec?.nodeSelector ?? {}).filter((key) => key.startsWith(`cpu-feature.${LABELS}/`));
const expectNoSuitableNode = (vmi: Vmi) =>
  observed<Event>(
    cluster.admin,
    Event,
    ({ type, reason, involvedObject }) =>
      type === 'Warning' &&
      reason === 'NoSuitableNodesForHostModelMigration' &&
      involvedObject.uid === vmi.metadata.uid,
  );

describe('live migration with a host-model cpu', () => {
  it('[test_id:6981] goes only to nodes that support the right CPU model', async () => {
    await running();
    const pod = await migrated('move');
    expect(pod.spec?.nodeName).toBe('target');
    expect(pod.spec?.nodeSelector).toMatchObject({
      [`cpu-model-migration.${LABELS}/Skylake`]: 'true',
      [`cpu-feature.${LABELS}/vmx`]: 'true',
      [`cpu-vendor.${LABELS}/Intel`]: 'true',
    });
  });

  it('[test_id:7505] has an event when no node is suited for the host model', async () => {
    const vmi = await running();
    await label('source', { [`host-model-cpu.${LABELS}/Skylake`]: null, ...host('fake-model') });
    await migrate('move');
    await expectNoSuitableNode(vmi);
  });

  it('has an event when no node contains a suited SupportedHostModelMigrationCPU label', async () => {
    const vmi = await running();
    for (const name of ['source', 'target']) await label(name, { [`cpu-model-migration.${LABELS}/Skylake`]: null });
    await migrate('move');
    await expectNoSuitableNode(vmi);
  });

  it('comes back to the initial node even if the target is newer than the source', async () => {
    await label('target', host('Skylake', 'fakeFeature'));
    await running();
    const there = await migrated('there');
    expect(there.spec?.nodeName).toBe('target');
    const back = await migrated('back');
    expect(back.spec?.nodeName).toBe('source');
    expect(features(back)).toEqual(features(there));
    expect(features(back)).not.toEqual([]);
  });

  it("goes to a node that supports the initial node's host-model even if this is not its own", async () => {
    await label('target', { [`host-model-cpu.${LABELS}/Skylake`]: null, ...host('fakeHostModel') });
    await running();
    expect((await migrated('move')).spec?.nodeName).toBe('target');
  });
});

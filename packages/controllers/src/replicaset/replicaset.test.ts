import {
  ClusterRole,
  Event,
  findCondition,
  isControlledBy,
  isDeleting,
  type KubeObject,
  Pod,
  type PolicyRule,
  ResourceQuota,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { VMI_FINALIZER } from '@vireo/api/kinds/kubevirt/names.ts';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { IDENTITY, USER } from '../rbac.ts';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { replicaSet } from '../testing/sets.ts';
import { gone, observed, Writes } from '../testing/watching.ts';
import { ReplicaSet } from './replicaSet.ts';

let cluster: Cluster;
/** Sets whose guests fail as soon as they are started. */
const crashing = new Set<string>();
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startNode({ crashes: ({ metadata }) => crashing.has(metadata.labels?.set ?? '') });
  await cluster.startControllers();
});
afterAll(async () => {
  await cluster.close();
  expect(cluster.log.entries.filter(({ level }) => level === 'error')).toEqual([]);
});

const setSeen = (name: string, fits: (set: ReplicaSet) => boolean) =>
  observed<ReplicaSet>(cluster.admin, ReplicaSet, (set) => set.metadata.name === name && fits(set));
const counted = (name: string, count: number) =>
  setSeen(name, ({ status }) => status?.replicas === count && status.readyReplicas === count);
/** As many as wanted are there and ready, and there is no condition. */
const healthy = (name: string, count: number) =>
  setSeen(
    name,
    ({ status }) => status?.replicas === count && status.readyReplicas === count && status.conditions === undefined,
  );
const create = async (name: string, replicas: number, spec: Partial<ReplicaSet['spec']> = {}): Promise<ReplicaSet> => {
  await cluster.admin.of(ReplicaSet).create(replicaSet(name, replicas, spec));
  return counted(name, replicas);
};
const patchSet = (name: string, spec: object) => cluster.admin.of(ReplicaSet).patch(name, { spec }, merge);
const labelled = async (name: string): Promise<Vmi[]> =>
  (await cluster.admin.of(Vmi).list({ ...at, labelSelector: `set=${name}` })).items;
const live = async (name: string): Promise<Vmi[]> =>
  (await labelled(name)).filter((vmi) => !isDeleting(vmi) && !isFinal(vmi));
/** So many VMIs live and are counted. */
const settled = async (name: string, count: number): Promise<ReplicaSet> => {
  await expect.poll(async () => (await live(name)).length, { timeout: 20_000 }).toBe(count);
  return counted(name, count);
};
const isOf = (name: string) => (object: KubeObject) => object.metadata.labels?.set === name;
const events = async (name: string): Promise<string[]> =>
  (await cluster.admin.of(Event).list(at)).items
    .filter(({ involvedObject }) => involvedObject.kind === ReplicaSet.kind && involvedObject.name === name)
    .map(({ type, reason, message }) => `${type} ${reason}: ${message}`);
const condition = (set: ReplicaSet, type: string) => findCondition(set.status?.conditions, type);

describe('a set', () => {
  it('creates its VMIs, counts them in its status, and records an event for each', async () => {
    const set = await create('made', 3);
    expect(set.status).toEqual({ replicas: 3, readyReplicas: 3, labelSelector: 'set=made' });
    const vmis = await live('made');
    expect(vmis).toHaveLength(3);
    for (const { metadata } of vmis) {
      expect(metadata.name).toMatch(/^made[a-z0-9]{5}$/);
      expect(metadata.ownerReferences).toEqual([
        {
          apiVersion: 'kubevirt.io/v1',
          kind: 'VirtualMachineInstanceReplicaSet',
          name: 'made',
          uid: set.metadata.uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ]);
    }
    await expect
      .poll(async () => (await events('made')).toSorted())
      .toEqual(
        vmis
          .map(
            ({ metadata }) =>
              `Normal SuccessfulCreate: Started the virtual machine by creating the new virtual machine instance ${metadata.name}`,
          )
          .toSorted(),
      );
  });

  it('is scaled by its subresource, up and down', async () => {
    await create('scaled', 1);
    const scale = await cluster.admin.of(ReplicaSet).getScale('scaled', at);
    expect(scale).toMatchObject({ spec: { replicas: 1 }, status: { replicas: 1, selector: 'set=scaled' } });
    await cluster.admin.of(ReplicaSet).updateScale({ ...scale, spec: { replicas: 4 } });
    await counted('scaled', 4);
    await patchSet('scaled', { replicas: 0 });
    await counted('scaled', 0);
    await gone(cluster.admin, Vmi, isOf('scaled'));
    await gone(cluster.admin, Pod, isOf('scaled'));
  });

  it('without spec.replicas has one, in its spec, in its scale and in what runs', async () => {
    const { spec, ...rest } = replicaSet('unsaid', 1);
    const { replicas: _, ...unsaid } = spec;
    const { spec: stored } = await cluster.admin.of(ReplicaSet).create({ ...rest, spec: unsaid });
    // Columns show what is in the spec.
    expect(stored.replicas).toBe(1);
    expect(await cluster.admin.of(ReplicaSet).getScale('unsaid', at)).toMatchObject({ spec: { replicas: 1 } });
    await counted('unsaid', 1);
  });

  it('makes many with few writes of its own', async () => {
    const writes = await Writes.follow(cluster.admin, [ReplicaSet], ({ metadata }) => metadata.name === 'many');
    await create('many', 60);
    writes.stop();
    expect(writes.seen.length).toBeLessThan(30);
    await patchSet('many', { replicas: 0 });
    await counted('many', 0);
  });

  it.each(['Succeeded', 'Failed'])('replaces a VMI that has %s, and deletes it', async (phase) => {
    const name = phase.toLowerCase();
    await create(name, 2);
    const [ended] = await live(name);
    await cluster.admin.of(Vmi).patch(ended?.metadata.name ?? '', { status: { phase } }, merge);
    await gone(cluster.admin, Vmi, ({ metadata }) => metadata.uid === ended?.metadata.uid);
    await settled(name, 2);
    await expect
      .poll(() => events(name))
      .toContain(`Normal SuccessfulDelete: Deleted finished virtual machine: ${ended?.metadata.uid}`);
  });

  it('replaces a deleted VMI before it is gone', async () => {
    await create('graceful', 2);
    const [held] = await live('graceful');
    const name = held?.metadata.name ?? '';
    await cluster.admin.of(Vmi).patch(name, { metadata: { finalizers: [VMI_FINALIZER, 'example.com/wait'] } }, merge);
    await cluster.admin.of(Vmi).delete(name, at);
    await observed<Vmi>(
      cluster.admin,
      Vmi,
      (vmi) => isOf('graceful')(vmi) && vmi.metadata.creationTimestamp > '' && !isDeleting(vmi) && !isFinal(vmi),
    );
    await expect.poll(async () => (await live('graceful')).length).toBe(2);
    expect((await labelled('graceful')).map(({ metadata }) => metadata.name)).toContain(name);
    await counted('graceful', 2);
    await cluster.admin.of(Vmi).patch(name, { metadata: { finalizers: null } }, merge);
  });

  it('replaces a VMI whose launcher pod is deleted, at once', async () => {
    await create('launched', 2);
    const [vmi] = await live('launched');
    const [pod] = (await cluster.admin.of(Pod).list(at)).items.filter((each) => vmi && isControlledBy(each, vmi));
    await cluster.admin.of(Pod).delete(pod?.metadata.name ?? '', at);
    await gone(cluster.admin, Vmi, ({ metadata }) => metadata.uid === vmi?.metadata.uid);
    await settled('launched', 2);
  });

  it('that is paused does nothing, and has the condition ReplicaPaused', async () => {
    await create('paused', 2);
    await patchSet('paused', { paused: true, replicas: 5 });
    const paused = await setSeen('paused', (set) => condition(set, 'ReplicaPaused') !== undefined);
    expect(condition(paused, 'ReplicaPaused')).toMatchObject({
      status: 'True',
      reason: 'Paused',
      message: 'Controller got paused',
    });
    const [lost] = await live('paused');
    await cluster.admin.of(Vmi).delete(lost?.metadata.name ?? '', at);
    await settled('paused', 1);
    await patchSet('paused', { paused: false });
    const resumed = await counted('paused', 5);
    expect(resumed.status?.conditions).toBeUndefined();
    await expect
      .poll(() => events('paused'))
      .toEqual(expect.arrayContaining(['Normal SuccessfulPaused: Paused', 'Normal SuccessfulResumed: Resumed']));
  });

  it('whose VMIs all crash at start backs off', async () => {
    crashing.add('crashing');
    await cluster.admin.of(ReplicaSet).create(replicaSet('crashing', 2));
    const writes = await Writes.follow(cluster.admin, [Vmi], isOf('crashing'));
    const created = () => writes.seen.filter((write) => write.startsWith('create')).length;
    await expect.poll(created, { timeout: 20_000 }).toBeGreaterThanOrEqual(4);
    crashing.delete('crashing');
    await counted('crashing', 2);
    writes.stop();
    expect(created()).toBeLessThan(12);
  });
});

describe('labels', () => {
  it('a VMI that loses its label is released and replaced; with the label back, it is adopted', async () => {
    const set = await create('relabelled', 2);
    const [left] = await live('relabelled');
    const name = left?.metadata.name ?? '';
    await cluster.admin.of(Vmi).patch(name, { metadata: { labels: { set: 'elsewhere' } } }, merge);
    const freed = await observed<Vmi>(
      cluster.admin,
      Vmi,
      (vmi) => vmi.metadata.name === name && !vmi.metadata.ownerReferences?.length,
    );
    expect([isDeleting(freed), isFinal(freed)]).toEqual([false, false]);
    await settled('relabelled', 2);
    await patchSet('relabelled', { replicas: 3 });
    await counted('relabelled', 3);
    await patchSet('relabelled', { replicas: 4, paused: true });
    await cluster.admin.of(Vmi).patch(name, { metadata: { labels: { set: 'relabelled' } } }, merge);
    await patchSet('relabelled', { paused: false });
    await observed<Vmi>(cluster.admin, Vmi, (vmi) => vmi.metadata.name === name && isControlledBy(vmi, set));
    await settled('relabelled', 4);
  });

  it('a set with a new selector releases what it does not select any more', async () => {
    const set = await create('reselecting', 2);
    const before = await live('reselecting');
    await patchSet('reselecting', {
      selector: { matchLabels: { set: 'reselecting', generation: 'second' } },
      template: { metadata: { labels: { set: 'reselecting', generation: 'second' } } },
    });
    const isNew = ({ metadata }: Vmi) => metadata.labels?.generation === 'second';
    await setSeen('reselecting', ({ status }) => status?.labelSelector === 'generation=second,set=reselecting');
    await expect.poll(async () => (await live('reselecting')).filter(isNew).length).toBe(2);
    await counted('reselecting', 2);
    for (const { metadata } of before) {
      const vmi = await cluster.admin.of(Vmi).get(metadata.name, at);
      expect([isControlledBy(vmi, set), isDeleting(vmi)]).toEqual([false, false]);
    }
  });

  it('two sets that overlap have the condition SelectorOverlap; each keeps its own VMIs, and the oldest adopts orphans', async () => {
    const labels = { set: 'older', also: 'newer' };
    const { spec } = vmDraft('any').spec.template;
    const template = { metadata: { labels, finalizers: [VMI_FINALIZER] }, spec };
    await create('older', 2, { template });
    await create('newer', 2, { template, selector: { matchLabels: { also: 'newer' } } });
    const [older, newer] = await Promise.all(
      ['older', 'newer'].map((name) => setSeen(name, (set) => condition(set, 'SelectorOverlap') !== undefined)),
    );
    expect(older && condition(older, 'SelectorOverlap')?.message).toMatch(
      /^spec\.selector overlaps with that of newer:/,
    );
    expect(newer && condition(newer, 'SelectorOverlap')?.message).toMatch(
      /^spec\.selector overlaps with that of older:/,
    );
    const owners = async () =>
      (await live('older')).map(({ metadata }) => metadata.ownerReferences?.[0]?.name).toSorted();
    expect(await owners()).toEqual(['newer', 'newer', 'older', 'older']);
    await patchSet('older', { replicas: 3, paused: true });
    await patchSet('newer', { paused: true });
    if (spec) await cluster.admin.of(Vmi).create({ metadata: { name: 'stray', ...at, labels }, spec });
    await Promise.all([patchSet('older', { paused: false }), patchSet('newer', { paused: false })]);
    await counted('older', 3);
    await expect.poll(owners).toEqual(['newer', 'newer', 'older', 'older', 'older']);
    await cluster.admin.of(ReplicaSet).delete('newer', at);
    await setSeen('older', (set) => condition(set, 'SelectorOverlap') === undefined);
  });
});

describe('deletion of a set', () => {
  it.each(['Background', 'Foreground'] as const)('in the %s deletes its VMIs', async (propagationPolicy) => {
    const name = propagationPolicy.toLowerCase();
    await create(name, 2);
    await cluster.admin.of(ReplicaSet).delete(name, { ...at, propagationPolicy });
    await gone(cluster.admin, ReplicaSet, ({ metadata }) => metadata.name === name);
    await gone(cluster.admin, Vmi, isOf(name));
  });

  it('with Orphan leaves its VMIs as they are; a new set adopts them', async () => {
    await create('orphaning', 3);
    const before = (await live('orphaning')).map(({ metadata }) => metadata.uid).toSorted();
    await cluster.admin.of(ReplicaSet).delete('orphaning', { ...at, propagationPolicy: 'Orphan' });
    await gone(cluster.admin, ReplicaSet, ({ metadata }) => metadata.name === 'orphaning');
    expect((await live('orphaning')).every(({ metadata }) => !metadata.ownerReferences?.length)).toBe(true);
    const selector = { matchLabels: { set: 'orphaning' } };
    const template = replicaSet('orphaning', 3).spec.template;
    const heir = await create('heir', 3, { selector, template });
    const after = await live('orphaning');
    expect(after.map(({ metadata }) => metadata.uid).toSorted()).toEqual(before);
    expect(after.every((vmi) => isControlledBy(vmi, heir))).toBe(true);
  });
});

describe('a failure', () => {
  it('by a quota is a condition in the words of the server, gone when there is room', async () => {
    const quota = (hard: string) => ({
      metadata: { name: 'few', ...at },
      spec: { hard: { 'count/virtualmachineinstances.kubevirt.io': hard } },
    });
    const used = (await cluster.admin.of(Vmi).list(at)).items.length;
    await cluster.admin.of(ResourceQuota).create(quota(String(used + 2)));
    await observed<ResourceQuota>(cluster.admin, ResourceQuota, ({ status }) => status?.used !== undefined);
    await cluster.admin.of(ReplicaSet).create(replicaSet('bounded', 4));
    const refused = await setSeen('bounded', (set) => condition(set, 'ReplicaFailure') !== undefined);
    expect(condition(refused, 'ReplicaFailure')).toMatchObject({ status: 'True', reason: 'FailedCreate' });
    expect(condition(refused, 'ReplicaFailure')?.message).toContain('exceeded quota: few');
    await setSeen('bounded', ({ status }) => status?.replicas === 2);
    await expect
      .poll(async () => (await events('bounded')).join('\n'))
      .toContain('Warning FailedCreate: Error creating virtual machine instance: ');
    await cluster.admin.of(ResourceQuota).delete('few', at);
    await healthy('bounded', 4);
  }, 60_000);

  it('by missing rights to create or delete is a condition, gone when the rights are back', async () => {
    const { rules = [] } = await cluster.admin.of(ClusterRole).get(IDENTITY.account);
    const setRules = (next: PolicyRule[]) =>
      cluster.admin.of(ClusterRole).patch(IDENTITY.account, { rules: next }, { type: 'merge' });
    const lessRights = rules.map((rule) =>
      rule.resources?.includes('virtualmachineinstances') ? { ...rule, verbs: ['get', 'list', 'watch'] } : rule,
    );
    const expectFailure = async (reason: string, verb: string): Promise<void> => {
      const set = await setSeen('powerless', (each) => condition(each, 'ReplicaFailure')?.reason === reason);
      expect(condition(set, 'ReplicaFailure')?.message).toContain(
        `User "${USER}" cannot ${verb} resource "virtualmachineinstances" in API group "kubevirt.io"`,
      );
    };
    await setRules(lessRights);
    await cluster.admin.of(ReplicaSet).create(replicaSet('powerless', 2));
    await expectFailure('FailedCreate', 'create');
    await setRules(rules);
    await healthy('powerless', 2);

    await setRules(lessRights);
    await patchSet('powerless', { replicas: 1 });
    await expectFailure('FailedDelete', 'delete');
    await setRules(rules);
    await healthy('powerless', 1);
  }, 60_000);

  it('by admission is a condition, gone when it admits them', async () => {
    await cluster.admin.of(ValidatingWebhookConfiguration).create({
      metadata: { name: 'nobody-answers' },
      webhooks: [
        {
          name: 'deny.vireo.test',
          admissionReviewVersions: ['v1'],
          sideEffects: 'None',
          clientConfig: { service: { namespace: NAMESPACE, name: 'nobody' } },
          rules: [
            {
              apiGroups: ['kubevirt.io'],
              apiVersions: ['v1'],
              resources: ['virtualmachineinstances'],
              operations: ['CREATE'],
            },
          ],
        },
      ],
    });
    await cluster.admin.of(ReplicaSet).create(replicaSet('unwelcome', 2));
    const refused = await setSeen('unwelcome', (set) => condition(set, 'ReplicaFailure') !== undefined);
    expect(condition(refused, 'ReplicaFailure')).toMatchObject({
      reason: 'FailedCreate',
      message: expect.stringContaining('deny.vireo.test'),
    });
    await cluster.admin.of(ValidatingWebhookConfiguration).delete('nobody-answers');
    await healthy('unwelcome', 2);
  }, 60_000);

  it('of an invalid set is a condition', async () => {
    await cluster.admin.of(ReplicaSet).create(replicaSet('wrong', 2, { selector: { matchLabels: { set: 'other' } } }));
    const set = await setSeen('wrong', ({ status }) => status?.conditions !== undefined);
    expect(condition(set, 'ReplicaFailure')?.message).toBe(
      'spec.selector (set=other) does not match the labels of spec.template.metadata',
    );
  });
});

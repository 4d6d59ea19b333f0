import {
  conditionOf,
  isConditionTrue,
  type Kind,
  type KubeObject,
  type Persisted,
  PersistentVolumeClaim,
  ResourceQuota,
} from '@vireo/api';
import { KeyPair } from '@vireo/api/kinds/harvester/keyPair.ts';
import { INSUFFICIENT_QUOTA } from '@vireo/api/kinds/harvester/names.ts';
import { HarvesterQuota, QUOTA_NAME } from '@vireo/api/kinds/harvester/resourceQuota.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { VirtualMachineTemplateVersion } from '@vireo/api/kinds/harvester/virtualMachineTemplateVersion.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { VirtualMachineTemplate } from '@vireo/api/kinds/template/virtualMachineTemplate.ts';
import { VirtualMachineTemplateRequest } from '@vireo/api/kinds/template/virtualMachineTemplateRequest.ts';
import { VolumeSnapshot } from '@vireo/api/kinds/volumesnapshot/volumeSnapshot.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Cluster, NAMESPACE, startCluster, vmDraft } from '../testing/cluster.ts';
import { gone, observed } from '../testing/watching.ts';

let cluster: Cluster;
beforeAll(async () => {
  cluster = await startCluster();
  await cluster.startControllers();
});
afterAll(() => cluster.close());

const at = { namespace: NAMESPACE };
const seen = <T extends KubeObject>(kind: Kind<T>, fits: (object: Persisted<T>) => boolean) =>
  observed<T>(cluster.admin, kind, fits);

describe('a template of Harvester', () => {
  it('numbers its versions, takes the first for its default, and takes them with it when it goes', async () => {
    const { admin } = cluster;
    await admin.of(HarvesterTemplate).create({ metadata: { name: 'debian', ...at }, spec: {} });
    const versions = admin.of(VirtualMachineTemplateVersion);
    // At once, so that the second comes before the cache has the number of the first.
    await Promise.all(
      ['a', 'b', 'c'].map((name) =>
        versions.create({ metadata: { name, ...at }, spec: { templateId: `${NAMESPACE}/debian` } }),
      ),
    );
    await seen(HarvesterTemplate, ({ status }) => status?.latestVersion === 3);
    const { items } = await versions.list(at);
    expect(items.map(({ status }) => status?.version).sort()).toEqual([1, 2, 3]);
    const first = items.find(({ status }) => status?.version === 1);
    expect(first?.metadata).toMatchObject({
      labels: { 'template.harvesterhci.io/templateID': 'debian' },
      ownerReferences: [{ kind: 'VirtualMachineTemplate', name: 'debian' }],
    });
    expect(await admin.of(HarvesterTemplate).get('debian', at)).toMatchObject({
      spec: { defaultVersionId: `${NAMESPACE}/${first?.metadata.name}` },
      status: { defaultVersion: 1, latestVersion: 3 },
    });
    await admin.of(HarvesterTemplate).delete('debian', at);
    await gone(admin, VirtualMachineTemplateVersion, () => true);
  });
});

describe('a template of KubeVirt', () => {
  it('is made of a VM where it is asked for, and nothing else is left', async () => {
    const { admin } = cluster;
    await admin.of(Vm).create(vmDraft('bare', { runStrategy: 'Halted' }));
    await admin.of(VirtualMachineTemplateRequest).create({
      metadata: { name: 'ask', ...at },
      spec: {
        virtualMachineRef: { ...at, name: 'bare' },
        templateName: 'golden',
        templateLabels: { os: 'none' },
        ttlSecondsAfterFinished: 0,
      },
    });
    const made = await seen(VirtualMachineTemplate, (template) => isConditionTrue(template, 'Ready'));
    expect(made).toMatchObject({
      metadata: { name: 'golden', labels: { os: 'none' } },
      spec: {
        parameters: [{ name: 'NAME', required: true }],
        virtualMachine: { metadata: { name: `\${NAME}` }, spec: { runStrategy: 'Halted' } },
      },
    });
    await gone(admin, VirtualMachineTemplateRequest, () => true);
    await gone(admin, VirtualMachineSnapshot, () => true);
    expect(await admin.of(VirtualMachineTemplate).get('golden', at)).toMatchObject({ metadata: { name: 'golden' } });
  });

  it('that has another’s name is not made', async () => {
    const { admin } = cluster;
    await admin.of(VirtualMachineTemplateRequest).create({
      metadata: { name: 'golden', ...at },
      spec: { virtualMachineRef: { ...at, name: 'bare' } },
    });
    const { status } = await seen(
      VirtualMachineTemplateRequest,
      (request) => conditionOf(request, 'Progressing')?.status === 'False',
    );
    expect(status?.conditions?.[0]).toMatchObject({
      type: 'Ready',
      status: 'False',
      message: `VirtualMachineTemplate ${NAMESPACE}/golden already exists and was not created by this request`,
    });
  });
});

describe('a key pair', () => {
  it('has the fingerprint that ssh-keygen shows', async () => {
    const publicKey =
      'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAABAgMEBQYHCAkKCwwNDg8QERITFBUWFxgZGhscHR4f ada@example.org';
    await cluster.admin.of(KeyPair).create({ metadata: { name: 'mine', ...at }, spec: { publicKey } });
    const { status } = await seen(KeyPair, (each) => each.status !== undefined);
    expect(status).toMatchObject({
      fingerPrint: FINGERPRINT,
      conditions: [{ type: 'validated', status: 'True' }],
    });
  });
});

/** By `ssh-keygen -E md5 -lf`. */
const FINGERPRINT = '0f:a2:0a:d7:38:3e:65:45:08:6b:63:84:1c:ff:dc:ba';

describe('quotas', () => {
  it('tell how much snapshots take, of VMs by name', async () => {
    const { admin } = cluster;
    const volumes = [{ name: 'root', persistentVolumeClaim: { claimName: 'web-root' } }];
    const draft = vmDraft('web', { runStrategy: 'Halted' });
    const { template } = draft.spec;
    await admin.of(Vm).create({
      ...draft,
      spec: { ...draft.spec, template: { ...template, spec: { ...template.spec!, volumes } } },
    });
    await admin.of(PersistentVolumeClaim).create({
      metadata: { name: 'web-root', ...at },
      spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '3Gi' } } },
    });
    await admin.of(HarvesterQuota).create({ metadata: { name: QUOTA_NAME, ...at }, spec: {} });
    const source = { persistentVolumeClaimName: 'web-root' };
    await admin.of(VolumeSnapshot).create({ metadata: { name: 'one', ...at }, spec: { source } });
    const bytes = 3 * 1024 ** 3;
    const quota = await seen(
      HarvesterQuota,
      ({ status }) => status?.snapshotLimitStatus?.namespaceTotalSnapshotSizeUsage === bytes,
    );
    expect(quota.status?.snapshotLimitStatus?.vmTotalSnapshotSizeUsage).toEqual({ web: bytes });
  });

  it('of Kubernetes that keep a VM from starting are an annotation of the VM, until it runs', async () => {
    const { admin } = cluster;
    await admin.of(ResourceQuota).create({ metadata: { name: 'small', ...at }, spec: { hard: { pods: '0' } } });
    await admin.of(Vm).create(vmDraft('held'));
    const held = await seen(Vm, ({ metadata }) => metadata.annotations?.[INSUFFICIENT_QUOTA] !== undefined);
    expect(held.metadata.annotations?.[INSUFFICIENT_QUOTA]).toBe(
      'exceeded quota: small, requested: pods=1, used: pods=0, limited: pods=0',
    );
    await admin.of(ResourceQuota).delete('small', at);
    await cluster.startNode();
    await seen(
      Vm,
      ({ metadata: { name, annotations } }) => name === 'held' && annotations?.[INSUFFICIENT_QUOTA] === undefined,
    );
  });
});

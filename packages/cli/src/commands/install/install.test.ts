import { ClusterRole, ConfigMap, type KubeObject, Namespace, ValidatingAdmissionPolicy } from '@vireo/api';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { KUBEVIRT_VERSION } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { applyObjects, applySettings, waitUntilEstablished } from '@vireo/controllers';
import { vmDraft } from '@vireo/controllers/testing/cluster.ts';
import { observed } from '@vireo/controllers/testing/watching.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type EmptyCluster, startEmptyCluster } from '../../testing/emptyCluster.ts';
import { version } from '../../version.ts';
import { installation } from './objects.ts';

const VERSION_LABEL = 'app.kubernetes.io/version';
const OLDER = '0.0.9';
const inNamespace = { namespace: 'kubevirt' };
const at = { namespace: 'default' };

let cluster: EmptyCluster;
let vmBefore: VirtualMachine;

/** The same objects as an older version would have brought them. */
const older = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, labels: { ...object.metadata.labels, [VERSION_LABEL]: OLDER } },
});
/** An object that this version does not bring. */
const former = (apiVersion: string, kind: string, rest: object = {}): KubeObject =>
  older({
    apiVersion,
    kind,
    metadata: { name: 'vireo-former', labels: { 'app.kubernetes.io/managed-by': 'vireo' } },
    ...rest,
  } as KubeObject);
const withFormerRule = (object: KubeObject): KubeObject => {
  const { kind, metadata, rules = [] } = object as ClusterRole;
  const isMeant = kind === 'ClusterRole' && metadata.name === 'kubevirt-controller';
  return isMeant ? ({ ...object, rules: [...rules, FORMER_RULE] } as KubeObject) : object;
};
const FORMER_RULE = { apiGroups: ['example.com'], resources: ['widgets'], verbs: ['get'] };

/** An installation by an older version: with a VM, two objects more, and a rule more. */
beforeAll(async () => {
  cluster = await startEmptyCluster();
  const { client } = cluster;
  const { namespace, definitions, basics, asking } = installation();
  await applyObjects(client, [older(namespace)]);
  await applyObjects(client, [...definitions, ...basics].map(older).map(withFormerRule));
  const resourceRules = [{ apiGroups: [''], apiVersions: ['v1'], resources: ['pods'], operations: ['CREATE'] }];
  const policy = { spec: { matchConstraints: { resourceRules }, validations: [{ expression: 'true' }] } };
  await applyObjects(client, [
    former('rbac.authorization.k8s.io/v1', 'ClusterRole', { rules: [] }),
    former('admissionregistration.k8s.io/v1', 'ValidatingAdmissionPolicy', policy),
  ]);
  await waitUntilEstablished(
    client,
    definitions.map(({ metadata }) => metadata.name ?? ''),
  );
  await applySettings(client, true);
  const status = { observedKubeVirtVersion: 'v1.0.0' };
  await client.of(KubeVirt).patchStatus('kubevirt', { status }, { ...inNamespace, type: 'merge' });
  // Without our label it is another's.
  await client.of(ConfigMap).create({ metadata: { name: 'vireo-former', ...inNamespace } });
  vmBefore = await client.of(VirtualMachine).create({
    ...vmDraft('web', { runStrategy: 'Halted' }),
    metadata: { name: 'web', ...at },
  });
  await applyObjects(client, asking.map(older));
});
afterAll(() => cluster?.close());

const useEmulation = async (): Promise<boolean | undefined> =>
  (await cluster.client.of(KubeVirt).get('kubevirt', inNamespace)).spec?.configuration?.developerConfiguration
    ?.useEmulation;

describe('vireo install', () => {
  it('refuses to replace another version unless it is told to', async () => {
    await expect(cluster.install()).rejects.toMatchObject({
      message: `Vireo ${OLDER} is installed; this is ${version}`,
      hint: 'To replace it: vireo install --upgrade',
    });
    expect((await cluster.client.of(Namespace).get('kubevirt')).metadata.labels?.[VERSION_LABEL]).toBe(OLDER);
  });

  it('--upgrade replaces it, deletes what it had more, and leaves VMs as they are', async () => {
    const { client } = cluster;
    expect(await cluster.install({ upgrade: true })).toContain(`Vireo ${version} is installed`);
    for (const kind of [ClusterRole, ValidatingAdmissionPolicy])
      expect(await client.of<KubeObject>(kind).find('vireo-former')).toBeUndefined();
    await client.of(ConfigMap).get('vireo-former', inNamespace);
    const { metadata, rules } = await client.of(ClusterRole).get('kubevirt-controller');
    expect(rules).not.toContainEqual(FORMER_RULE);
    expect(metadata.labels?.[VERSION_LABEL]).toBe(version);
    expect((await client.of(Namespace).get('kubevirt')).metadata.labels?.[VERSION_LABEL]).toBe(version);
    expect(await client.of(VirtualMachine).get('web', at)).toEqual(vmBefore);
    expect(await cluster.install()).toContain(`Vireo ${version} is installed`);
  });

  it('says who has to run for a change of the settings', async () => {
    await expect(cluster.install({ useEmulation: false })).rejects.toMatchObject({
      message: 'the KubeVirt object was not changed, because the extension does not answer',
      hint: expect.stringContaining('vireo extension'),
    });
  });

  it('--wait names the roles that are missing, and how to start them', async () => {
    await expect(cluster.install({ wait: true, timeout: 1 })).rejects.toMatchObject({ exitCode: 124 });
    await expect(cluster.install({ wait: true, timeout: 500 })).rejects.toMatchObject({
      message: expect.stringMatching(
        /^not available after 500 ms:\n {2}- no controllers lead: vireo controllers .*\n {2}- no extension serves APIService v1\.\S+.*: vireo extension .*\n {2}- no node is ready: vireo node /,
      ),
    });
  });

  it('--wait returns when controllers, extension and a node do their work', async () => {
    const waiting = cluster.install({ wait: true });
    await cluster.startControllers();
    await cluster.startExtension();
    await cluster.startNode();
    expect(await waiting).toContain('VMs can run: controllers test-controllers, extension test, node fake-node.');
    const isNew = ({ status }: KubeVirt) => status?.observedKubeVirtVersion === KUBEVIRT_VERSION;
    await observed<KubeVirt>(cluster.client, KubeVirt, isNew);
  });

  it('leaves emulation as it is, unless it is told which', async () => {
    expect(await useEmulation()).toBe(true);
    await cluster.install({ useEmulation: false });
    expect(await useEmulation()).toBe(false);
    await cluster.install({ useEmulation: true });
    await cluster.install();
    expect(await useEmulation()).toBe(true);
  });
});

import {
  APIService,
  ClusterRole,
  CustomResourceDefinition,
  MutatingWebhookConfiguration,
  Namespace,
  ServiceAccount,
  type UnknownObject,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { VirtualMachineClusterInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { VirtualMachineClusterPreference } from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { KubeVirt } from '@vireo/api/kinds/kubevirt/kubeVirt.ts';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, type Transport } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { applyObjects, install, installationObjects } from './install.ts';
import { keepInstalled } from './keepInstalled.ts';
import type { Identity } from './rbac.ts';
import { observed } from './testing/watching.ts';

let server: TestServer;
const handler: Identity = {
  account: 'kubevirt-handler',
  rules: [{ apiGroups: [''], resources: ['nodes'], verbs: ['get'] }],
};

beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true, identities: [handler] });
});
afterAll(() => server.close());

/** A client that notes what it writes. */
function noting(transport: Transport): { client: Client; writes: string[] } {
  const writes: string[] = [];
  const call: Transport['call'] = (request) => {
    if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
    return transport.call(request);
  };
  const noted = Object.assign(Object.create(transport) as Transport, { call });
  return { client: new Client(noted), writes };
}

describe('an installation', () => {
  it('makes the server serve VMs', async () => {
    expect((await server.client.of(Vm).list()).items).toEqual([]);
    const { spec } = await server.client.of(KubeVirt).get('kubevirt', { namespace: 'kubevirt' });
    expect(spec).toEqual({ configuration: { developerConfiguration: { useEmulation: true } } });
  });

  it('knows each part by its own account and role', async () => {
    const at = { namespace: 'kubevirt' };
    for (const name of ['kubevirt-controller', 'kubevirt-handler']) {
      await server.client.of(ServiceAccount).get(name, at);
      await server.client.of(ClusterRole).get(name);
    }
    expect((await server.client.of(ClusterRole).get('kubevirt-handler')).rules).toEqual(handler.rules);
  });

  it('brings along what other parts want to be there', async () => {
    const object = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'extra' } };
    await install(server.client, { useEmulation: true, identities: [handler], objects: [object] });
    await server.client.of(Namespace).get('extra');
  });

  it('writes nothing when nothing changed', async () => {
    const { client, writes } = noting(server.inProcess());
    await install(client, { useEmulation: true, identities: [handler] });
    expect(writes).toEqual([]);
  });

  it('brings instance types and preferences along, and leaves them as they are from then on', async () => {
    const types = server.client.of(VirtualMachineClusterInstancetype);
    expect((await types.list()).items).toEqual([]);
    await install(server.client, { useEmulation: true, identities: [handler], instancetypes: true });
    expect((await types.get('u1.nano')).spec).toEqual({ cpu: { guest: 1 }, memory: { guest: '512Mi' } });
    await server.client.of(VirtualMachineClusterPreference).get('linux');
    const { client, writes } = noting(server.inProcess());
    await install(client, { useEmulation: true, identities: [handler], instancetypes: true });
    expect(writes).toEqual([]);
  });

  it('leaves instance types away where they are not wanted', async () => {
    const at = { namespace: 'kubevirt' };
    const merge = { ...at, type: 'merge' } as const;
    const enabled = (commonInstancetypesDeployment: object | null) =>
      server.client
        .of(KubeVirt)
        .patch('kubevirt', { spec: { configuration: { commonInstancetypesDeployment } } }, merge);
    await enabled({ enabled: false });
    const types = server.client.of(VirtualMachineClusterInstancetype);
    await types.delete('u1.nano');
    await install(server.client, { useEmulation: true, identities: [handler], instancetypes: true });
    await expect(types.get('u1.nano')).rejects.toMatchObject({ code: 404 });
    await enabled(null);
  });

  it('changes only what the host decides in settings that exist', async () => {
    const at = { namespace: 'kubevirt' };
    const configuration = { evictionStrategy: 'LiveMigrate' };
    await server.client.of(KubeVirt).patch('kubevirt', { spec: { configuration } }, { ...at, type: 'merge' });
    await install(server.client, { useEmulation: false, identities: [handler] });
    const { spec } = await server.client.of(KubeVirt).get('kubevirt', at);
    expect(spec?.configuration).toEqual({
      evictionStrategy: 'LiveMigrate',
      developerConfiguration: { useEmulation: false },
    });
  });

  it('brings objects of an older version up to date', async () => {
    const stale = { metadata: { annotations: { 'kubevirt.io/install-strategy-identifier': 'old' } }, rules: [] };
    await server.client.of(ClusterRole).patch('kubevirt-controller', stale, { type: 'merge' });
    await install(server.client, { useEmulation: false, identities: [handler] });
    expect((await server.client.of(ClusterRole).get('kubevirt-controller')).rules?.length).toBeGreaterThan(5);
  });

  it('takes webhooks away that are wanted no more, and leaves the bundles of the others', async () => {
    const webhook = (name: string) => ({
      name,
      clientConfig: { service: { namespace: 'kubevirt', name: 'virt-api' } },
      sideEffects: 'None',
      admissionReviewVersions: ['v1'],
    });
    const configuration = (...names: string[]) =>
      ({
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'shrinking' },
        webhooks: names.map(webhook),
      }) as UnknownObject;
    const configurations = server.client.of(ValidatingWebhookConfiguration);
    await applyObjects(server.client, [configuration('a.example.io', 'b.example.io')]);
    const bundles = ['a.example.io', 'b.example.io'].map((name) => ({ name, clientConfig: { caBundle: 'Y2E=' } }));
    await configurations.patch('shrinking', { webhooks: bundles }, { type: 'strategic' });
    await applyObjects(server.client, [configuration('a.example.io')]);
    const { webhooks = [] } = await configurations.get('shrinking');
    expect(webhooks.map(({ name, clientConfig }) => [name, clientConfig.caBundle])).toEqual([['a.example.io', 'Y2E=']]);
  });

  it('makes APIServices, policies and webhook configurations anew that somebody deletes while it is kept', async () => {
    const { client } = server;
    const metadata = { name: 'v1.things.example.com' };
    const service = { namespace: 'default', name: 'things' };
    const spec = { group: 'things.example.com', version: 'v1', groupPriorityMinimum: 1, versionPriority: 1, service };
    const bound = { policyName: 'things', validationActions: ['Deny'] };
    const hooks = { apiVersion: 'admissionregistration.k8s.io/v1', metadata: { name: 'things' }, webhooks: [] };
    const objects = [
      { apiVersion: 'apiregistration.k8s.io/v1', kind: 'APIService', metadata, spec },
      { ...hooks, kind: 'MutatingWebhookConfiguration' },
      { ...hooks, kind: 'ValidatingWebhookConfiguration' },
      { apiVersion: hooks.apiVersion, kind: 'ValidatingAdmissionPolicyBinding', metadata: hooks.metadata, spec: bound },
    ];
    await install(client, { useEmulation: false, identities: [handler], objects });
    const stop = new AbortController();
    const ended = keepInstalled(client, objects, stop.signal);
    const kinds = [
      APIService,
      MutatingWebhookConfiguration,
      ValidatingWebhookConfiguration,
      ValidatingAdmissionPolicyBinding,
    ];
    for (const [index, kind] of kinds.entries()) {
      const resource = client.of<UnknownObject>(kind);
      const { name = '' } = objects[index]?.metadata ?? {};
      const { metadata: before } = await resource.get(name);
      await resource.delete(name);
      const isBack = ({ metadata: now }: UnknownObject) => now.name === name && now.uid !== before.uid;
      await observed<UnknownObject>(client, kind, isBack);
      await resource.delete(name);
      await observed<UnknownObject>(client, kind, isBack);
    }
    stop.abort();
    await ended;
  });

  it('is a list of objects that can be applied one after another', () => {
    const kinds = installationObjects().map(({ kind }) => kind);
    expect(kinds[0]).toBe(Namespace.kind);
    expect(kinds.filter((kind) => kind === CustomResourceDefinition.kind).length).toBeGreaterThan(20);
  });
});

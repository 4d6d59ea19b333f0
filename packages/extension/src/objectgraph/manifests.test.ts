import type { UnknownObject } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { lookupOf, object } from '../testing/graphLookup.ts';
import { vmWith } from '../testing/vms.ts';
import { graphOfVm } from './graph.ts';
import { manifestsOf } from './manifests.ts';
import { missingInManifests, missingTexts } from './missingObjects.ts';

interface List {
  readonly items: readonly UnknownObject[];
}

const vm = vmWith({
  instancetype: { name: 'small' },
  dataVolumeTemplates: [{ metadata: { name: 'root' }, spec: { source: { blank: {} } } }],
  template: {
    spec: {
      domain: { devices: {} },
      volumes: [
        { name: 'a', dataVolume: { name: 'root' } },
        { name: 'b', dataVolume: { name: 'own' } },
        { name: 'c', persistentVolumeClaim: { claimName: 'plain' } },
        { name: 'd', secret: { secretName: 'keys' } },
        { name: 'e', secret: { secretName: 'keys' } },
        { name: 'f', configMap: { name: 'gone' } },
        { name: 'g', serviceAccount: { serviceAccountName: 'robot' } },
      ],
    },
  },
  status: { instancetypeRef: { controllerRevisionRef: { name: 'small-1' } } },
});
const claim = (name: string): UnknownObject =>
  object('v1 PersistentVolumeClaim', name, {
    metadata: {
      uid: 'claim-uid',
      resourceVersion: '3',
      creationTimestamp: '2026-01-01T00:00:00Z',
      finalizers: ['kubernetes.io/pvc-protection'],
      ownerReferences: [{ apiVersion: 'v1', kind: 'Owner', name: 'o', uid: 'u' }],
      labels: { app: 'web' },
      annotations: {
        'pv.kubernetes.io/bind-completed': 'yes',
        'cdi.kubevirt.io/storage.import.source': 'http',
        'kubevirt.io/install-strategy-identifier': 'abc',
        note: 'mine',
      },
    },
    spec: {
      volumeName: 'pv-1',
      storageClassName: 'local',
      dataSourceRef: { apiGroup: '', kind: 'PersistentVolumeClaim', name: 'image' },
    },
    status: { phase: 'Bound' },
  });
const objects = [
  object('cdi.kubevirt.io/v1beta1 DataVolume', 'root', { spec: { source: { blank: {} } } }),
  object('cdi.kubevirt.io/v1beta1 DataVolume', 'own', { spec: { source: { blank: {} } } }),
  claim('root'),
  claim('own'),
  claim('plain'),
  object('storage.k8s.io/v1 StorageClass', 'local', {}, ''),
  object('v1 PersistentVolume', 'pv-1', {}, ''),
  object('v1 Secret', 'keys', { data: {} }),
  object('v1 ServiceAccount', 'robot', { secrets: [{ name: 'token' }] }),
  object('apps/v1 ControllerRevision', 'small-1', { revision: 1 }),
];
const manifests = async (includesSecrets: boolean): Promise<readonly UnknownObject[]> => {
  const graph = await graphOfVm(vm, undefined, lookupOf(objects));
  return (manifestsOf(graph, { ...vm }, includesSecrets) as List).items;
};
const names = (items: readonly UnknownObject[]): string[] =>
  items.map(({ kind, metadata }) => `${kind} ${metadata.name}`);

describe('manifests', () => {
  it('have each object once, before what needs it, and not what is made anew', async () => {
    expect(names(await manifests(false))).toEqual([
      'ControllerRevision small-1',
      'StorageClass local',
      'PersistentVolumeClaim root',
      'PersistentVolumeClaim own',
      'DataVolume own',
      'PersistentVolumeClaim plain',
      'ServiceAccount robot',
      'VirtualMachine web',
    ]);
    expect(names(await manifests(true)).filter((name) => name.startsWith('Secret'))).toEqual(['Secret keys']);
  });

  it('have nothing that only the old home knows', async () => {
    const items = await manifests(false);
    expect(items.find(({ metadata }) => metadata.name === 'plain')).toEqual({
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { name: 'plain', namespace: 'default', labels: { app: 'web' }, annotations: { note: 'mine' } },
      spec: { storageClassName: 'local' },
    });
    expect(items.find(({ kind }) => kind === 'ServiceAccount')).not.toHaveProperty('secrets');
  });

  it('say of claims that they are filled, so that nothing is imported again', async () => {
    const items = await manifests(false);
    for (const name of ['root', 'own'])
      expect(items.find(({ metadata }) => metadata.name === name)?.metadata.annotations).toEqual({
        note: 'mine',
        'cdi.kubevirt.io/storage.populatedFor': name,
      });
  });

  it('keep the VM at the revisions that it had', async () => {
    const [restored] = (await manifests(false)).slice(-1);
    expect(restored).not.toHaveProperty('status');
    expect(restored?.spec).toMatchObject({ instancetype: { name: 'small', revisionName: 'small-1' } });
  });
});

describe('objects missing in manifests', () => {
  const texts = async (
    found: readonly UnknownObject[],
    forbidden: readonly string[] = [],
    includesSecrets = false,
  ): Promise<readonly string[]> => {
    const graph = await graphOfVm(vm, undefined, lookupOf(found, new Set(forbidden)));
    return missingTexts(missingInManifests(graph, { ...vm }, includesSecrets), 'the list', 'jane');
  };

  it('are what is missing and needed', async () => {
    expect(await texts(objects)).toEqual([
      'the list is incomplete: 1 missing',
      'ConfigMap default/gone is missing (spec.template.spec.volumes[5].configMap.name)',
    ]);
    expect(await texts([...objects, object('v1 ConfigMap', 'gone')])).toEqual([]);
  });

  it('are what may not be read; Secrets only where they are asked for', async () => {
    const all = [...objects, object('v1 ConfigMap', 'gone')];
    expect(await texts(all, ['/Secret', '/ConfigMap', 'storage.k8s.io/StorageClass'])).toEqual([
      'the list is incomplete: 2 forbidden',
      'User "jane" cannot get StorageClass local (spec.storageClassName)',
      'User "jane" cannot get ConfigMap default/gone (spec.template.spec.volumes[5].configMap.name)',
    ]);
    expect(await texts(all, ['/Secret'], true)).toEqual([
      'the list is incomplete: 1 forbidden',
      'User "jane" cannot get Secret default/keys (spec.template.spec.volumes[4].secret.secretName)',
    ]);
  });

  it('are not what the VM makes anew: its DataVolumes and their claims', async () => {
    const without = objects.filter(({ metadata }) => metadata.name !== 'root');
    expect(await texts([...without, object('v1 ConfigMap', 'gone')])).toEqual([]);
    const lost = objects.filter(({ metadata }) => metadata.name !== 'own');
    expect((await texts([...lost, object('v1 ConfigMap', 'gone')])).slice(1)).toEqual([
      'DataVolume default/own is missing (spec.template.spec.volumes[1].dataVolume.name)',
      'PersistentVolumeClaim default/own is missing (metadata.name)',
    ]);
  });
});

import type { Persisted } from '@vireo/api';
import { describe, expect, it } from 'vitest';
import { inOrder, installation } from './objects.ts';
import { type Existing, otherOwners, sharedByOthers } from './owners.ts';

const NOTHING: Existing = { definitions: [], apiServices: [], deployments: [] };
const wanted = inOrder(installation());

const named = (name: string, metadata: object, rest: object = {}) =>
  ({ metadata: { name, ...metadata }, ...rest }) as unknown as Persisted<never>;
const definition = (name: string, metadata: object = {}) =>
  named(name, metadata, { spec: { group: name.slice(name.indexOf('.') + 1) } });
const managedBy = (name: string) => ({ labels: { 'app.kubernetes.io/managed-by': name } });

describe('whose VMs are', () => {
  it.each<[string, Partial<Existing>, RegExp]>([
    [
      'KubeVirt’s by its definitions',
      { definitions: [definition('virtualmachines.kubevirt.io', managedBy('virt-operator'))] },
      /^KubeVirt \(virt-operator\) owns virtualmachines\.kubevirt\.io$/,
    ],
    [
      'KubeVirt’s by its operator',
      { deployments: [named('virt-operator', { namespace: 'kubevirt' })] },
      /^KubeVirt runs here: Deployment kubevirt\/virt-operator$/,
    ],
    [
      'Harvester’s by its Helm release',
      {
        definitions: [
          definition('virtualmachineimages.harvesterhci.io', {
            annotations: { 'meta.helm.sh/release-name': 'harvester-crd' },
          }),
        ],
      },
      /^Harvester \(Helm release harvester-crd\) owns virtualmachineimages\.harvesterhci\.io$/,
    ],
    [
      'somebody’s who applied them',
      { definitions: [definition('virtualmachines.kubevirt.io', { managedFields: [{ manager: 'kubectl' }] })] },
      /^somebody else \(kubectl\) owns/,
    ],
    [
      'another server’s',
      {
        apiServices: [
          named('v1.subresources.kubevirt.io', {}, { spec: { service: { namespace: 'cnv', name: 'virt-api' } } }),
        ],
      },
      /^another server answers for the APIService v1\.subresources\.kubevirt\.io: Service cnv\/virt-api$/,
    ],
  ])('%s', (_, existing, message) => {
    expect(otherOwners({ ...NOTHING, ...existing }, wanted)).toEqual([expect.stringMatching(message)]);
  });

  it.each<[string, Partial<Existing>]>([
    ['nobody’s on an empty cluster', {}],
    ['ours by label', { definitions: [definition('virtualmachines.kubevirt.io', managedBy('vireo'))] }],
    [
      'ours by field manager',
      { definitions: [definition('virtualmachines.kubevirt.io', { managedFields: [{ manager: 'vireo-install' }] })] },
    ],
    ['nobody’s because of other kinds', { definitions: [definition('widgets.example.io', managedBy('somebody'))] }],
    ['nobody’s because of volume snapshots', { definitions: [definition('volumesnapshots.snapshot.storage.k8s.io')] }],
  ])('%s', (_, existing) => {
    expect(otherOwners({ ...NOTHING, ...existing }, wanted)).toEqual([]);
  });

  it('leaves volume snapshots to whoever brought them', () => {
    const definitions = [
      definition('volumesnapshots.snapshot.storage.k8s.io'),
      definition('volumesnapshotclasses.snapshot.storage.k8s.io', managedBy('vireo')),
    ];
    expect(sharedByOthers({ ...NOTHING, definitions })).toEqual(['volumesnapshots.snapshot.storage.k8s.io']);
  });
});

import { ConfigMap, type Kind, type KubeObject, PersistentVolumeClaim, Secret } from '@vireo/api';
import { DataSource } from '@vireo/api/kinds/cdi/dataSource.ts';
import { DataVolume } from '@vireo/api/kinds/cdi/dataVolume.ts';
import { VirtualMachineClone } from '@vireo/api/kinds/clone/virtualMachineClone.ts';
import { NetworkAttachmentDefinition } from '@vireo/api/kinds/cni/networkAttachmentDefinition.ts';
import { VirtualMachineExport } from '@vireo/api/kinds/export/virtualMachineExport.ts';
import { VirtualMachineImage } from '@vireo/api/kinds/harvester/virtualMachineImage.ts';
import { VirtualMachineInstancetype } from '@vireo/api/kinds/instancetype/virtualMachineInstancetype.ts';
import { VirtualMachinePreference } from '@vireo/api/kinds/instancetype/virtualMachinePreference.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { VirtualMachineInstanceReplicaSet } from '@vireo/api/kinds/kubevirt/virtualMachineInstanceReplicaSet.ts';
import { VirtualMachineRestore } from '@vireo/api/kinds/snapshot/virtualMachineRestore.ts';
import { VirtualMachineSnapshot } from '@vireo/api/kinds/snapshot/virtualMachineSnapshot.ts';
import { vmiWith } from '@vireo/hypervisor/testing/fixtures.ts';
import { realVmis } from '@vireo/hypervisor/testing/realVmis.ts';

/** A good object to spoil. */
export interface Seed {
  readonly title: string;
  readonly kind: Kind;
  readonly object: Record<string, unknown>;
}

export const NAMESPACE = 'security-manifests';

const seed = (kind: Kind, spec: Record<string, unknown>, title = kind.kind): Seed => ({
  title,
  kind,
  object: {
    apiVersion: kind.group === '' ? kind.version : `${kind.group}/${kind.version}`,
    kind: kind.kind,
    metadata: { name: 'seed', namespace: NAMESPACE, labels: { app: 'x' }, annotations: { note: 'x' } },
    ...spec,
  },
});

const storage = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } };
const vmiSpec = {
  domain: { memory: { guest: '64Mi' }, devices: { disks: [{ name: 'root', disk: { bus: 'virtio' } }] } },
  volumes: [{ name: 'root', containerDisk: { image: 'vireo/boot-sector' } }],
};
const template = { metadata: { labels: { app: 'x' } }, spec: vmiSpec };
const ofVm = { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } };

/** VMIs in many shapes: of these the domain is looked at. */
export const vmiSeeds = (): Seed[] =>
  realVmis.map(([title, domain, rest]) =>
    seed(VirtualMachineInstance as Kind, { spec: vmiWith(domain, rest).spec }, title),
  );

/** One or more of every kind whose fields reach a node, a path, a command or a message. */
export const otherSeeds = (): Seed[] => [
  seed(VirtualMachine as Kind, {
    spec: {
      runStrategy: 'Halted',
      template,
      dataVolumeTemplates: [{ metadata: { name: 'data' }, spec: { source: { blank: {} }, storage } }],
    },
  }),
  seed(VirtualMachineInstanceReplicaSet as Kind, {
    spec: { replicas: 0, selector: { matchLabels: { app: 'x' } }, template },
  }),
  seed(PersistentVolumeClaim as Kind, { spec: storage }),
  seed(Secret as Kind, { stringData: { userdata: 'x' }, data: { key: 'eA==' } }),
  seed(ConfigMap as Kind, { data: { key: 'x' } }),
  seed(
    DataVolume as Kind,
    {
      spec: {
        source: {
          http: {
            url: 'http://127.0.0.1:1/disk.img',
            secretRef: 'x',
            certConfigMap: 'x',
            extraHeaders: ['a: b'],
            secretExtraHeaders: ['x'],
          },
        },
        storage,
      },
    },
    'DataVolume of a web server',
  ),
  seed(
    DataVolume as Kind,
    { spec: { source: { registry: { url: 'docker://127.0.0.1:1/disk:latest', secretRef: 'x' } }, storage } },
    'DataVolume of a registry',
  ),
  seed(
    DataVolume as Kind,
    { spec: { source: { pvc: { namespace: NAMESPACE, name: 'x' } }, storage } },
    'DataVolume of a claim',
  ),
  seed(DataSource as Kind, { spec: { source: { pvc: { namespace: NAMESPACE, name: 'x' } } } }),
  seed(VirtualMachineImage as Kind, {
    spec: { displayName: 'x', sourceType: 'download', url: 'http://127.0.0.1:1/x.img' },
  }),
  seed(VirtualMachineSnapshot as Kind, { spec: ofVm }),
  seed(VirtualMachineRestore as Kind, {
    spec: { target: ofVm.source, virtualMachineSnapshotName: 'x' },
  }),
  seed(VirtualMachineClone as Kind, { spec: { ...ofVm, target: { ...ofVm.source, name: 'copy' } } }),
  seed(VirtualMachineExport as Kind, { spec: { ...ofVm, tokenSecretRef: 'x' } }),
  seed(VirtualMachineInstancetype as Kind, { spec: { cpu: { guest: 1 }, memory: { guest: '64Mi' } } }),
  seed(VirtualMachinePreference as Kind, { spec: { devices: { preferredDiskBus: 'virtio' } } }),
  seed(NetworkAttachmentDefinition as Kind, {
    spec: { config: '{"cniVersion":"0.3.1","name":"x","type":"bridge","bridge":"br-x"}' },
  }),
];

/** The spec of an answer, which admission may have completed. */
export const asVmi = (object: unknown): VirtualMachineInstance => object as KubeObject as VirtualMachineInstance;

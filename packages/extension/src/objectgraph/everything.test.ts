import { type Kind, type KubeObject, Namespace, type UnknownObject } from '@vireo/api';
import { FOUND_BACKUP } from '@vireo/api/kinds/harvester/virtualMachineBackup.ts';
import { HarvesterTemplate } from '@vireo/api/kinds/harvester/virtualMachineTemplate.ts';
import { builtinKinds } from '@vireo/api/kinds/index.ts';
import { kubevirtKinds } from '@vireo/api/kinds/kubevirt/index.ts';
import { VirtualMachine } from '@vireo/api/kinds/kubevirt/virtualMachine.ts';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import { asFlat, asHierarchy, asTree, type Expected, may, missing, needs, typeOf } from '../testing/expectedGraph.ts';
import { type Installation, install } from '../testing/installation.ts';

/** A VM that uses everything, on a real server: its graph in every form, compared whole. */

const SUB = '/apis/subresources.kubevirt.io/v1/namespaces/default';
let installation: Installation;
/** What is found by watching is there a moment later. */
const WATCHED = { timeout: 20_000 };

const PUBLIC_KEY = 'ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl me';

const spec = {
  domain: {
    devices: {
      tpm: { persistent: true },
      disks: ['a', 'b', 'c', 'e', 'f', 'g', 'h', 'j', 'l', 'm', 'n'].map((name) => ({ name, disk: { bus: 'virtio' } })),
      interfaces: [
        { name: 'p', masquerade: {} },
        { name: 'q', bridge: {} },
        { name: 'r', bridge: {} },
      ],
    },
    firmware: {
      kernelBoot: {
        container: { image: 'example/kernel', kernelPath: '/k', initrdPath: '/i', imagePullSecret: 'pull' },
      },
    },
  },
  accessCredentials: [
    { sshPublicKey: { source: { secret: { secretName: 'ssh' } }, propagationMethod: { noCloud: {} } } },
    { userPassword: { source: { secret: { secretName: 'password' } }, propagationMethod: { qemuGuestAgent: {} } } },
  ],
  volumes: [
    { name: 'a', dataVolume: { name: 'made' } },
    { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
    { name: 'c', ephemeral: { persistentVolumeClaim: { claimName: 'base' } } },
    { name: 'd', memoryDump: { claimName: 'dump', hotpluggable: true } },
    { name: 'e', configMap: { name: 'settings' } },
    { name: 'f', secret: { secretName: 'keys', optional: true } },
    { name: 'g', serviceAccount: { serviceAccountName: 'robot' } },
    { name: 'h', cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'net' } } },
    { name: 'j', sysprep: { secret: { name: 'licence' } } },
    { name: 'l', containerDisk: { image: 'example/os', imagePullSecret: 'pull' } },
    { name: 'm', emptyDisk: { capacity: '1Gi' } },
    { name: 'n', dataVolume: { name: 'spare' } },
  ],
  networks: [
    { name: 'p', pod: {} },
    { name: 'q', multus: { networkName: 'blue' } },
    { name: 'r', multus: { networkName: 'infra/red' } },
  ],
  priorityClassName: 'high',
};

const object = (apiVersion: string, kind: string, name: string, more: object = {}, namespace = 'default') =>
  ({ apiVersion, kind, metadata: { name, ...(namespace && { namespace }) }, ...more }) as KubeObject;

const storage = { resources: { requests: { storage: '1Gi' } } };
const claim = (name: string, claimSpec: object = {}, labels: Record<string, string> = {}, namespace = 'default') => {
  const made = object(
    'v1',
    'PersistentVolumeClaim',
    name,
    { spec: { accessModes: ['ReadWriteOnce'], storageClassName: 'fast', ...storage, ...claimSpec } },
    namespace,
  );
  return { ...made, metadata: { ...made.metadata, labels } };
};

const madeFromImage = (made: KubeObject): KubeObject => ({
  ...made,
  metadata: { ...made.metadata, annotations: { 'harvesterhci.io/imageId': 'images/os' } },
});

const keptUpToDate = (made: KubeObject): KubeObject => ({
  ...made,
  metadata: { ...made.metadata, labels: { 'cdi.kubevirt.io/dataImportCron': 'fresh' } },
});

const everything = object('kubevirt.io/v1', 'VirtualMachine', 'web', {
  spec: {
    runStrategy: 'Halted',
    instancetype: { kind: 'VirtualMachineInstancetype', name: 'small' },
    preference: { name: 'linux' },
    dataVolumeTemplates: [
      {
        metadata: { name: 'made' },
        spec: {
          source: { http: { url: 'https://images.example/os', secretRef: 'login', certConfigMap: 'ca' } },
          storage: { ...storage, storageClassName: 'fast' },
        },
      },
      {
        metadata: { name: 'spare' },
        spec: { sourceRef: { kind: 'DataSource', name: 'golden', namespace: 'images' }, storage },
      },
    ],
    template: { metadata: { annotations: { 'harvesterhci.io/sshNames': '["default/mine","team/gone"]' } }, spec },
  },
});
everything.metadata.labels = { 'template.harvesterhci.io/templateID': 'small-vm' };

const OBJECTS: readonly KubeObject[] = [
  object('storage.k8s.io/v1', 'StorageClass', 'fast', { provisioner: 'example.com/none' }, ''),
  object('scheduling.k8s.io/v1', 'PriorityClass', 'high', { value: 1000 }, ''),
  object('instancetype.kubevirt.io/v1beta1', 'VirtualMachineInstancetype', 'small', {
    spec: { cpu: { guest: 1 }, memory: { guest: '64Mi' } },
  }),
  object('instancetype.kubevirt.io/v1beta1', 'VirtualMachineClusterPreference', 'linux', { spec: {} }, ''),
  object('apps/v1', 'ControllerRevision', 'small-1', { revision: 1, data: {} }),
  object('apps/v1', 'ControllerRevision', 'linux-1', { revision: 1, data: {} }),
  ...['ssh', 'password', 'pull', 'user', 'net', 'licence', 'login'].map((name) => object('v1', 'Secret', name)),
  ...['settings', 'ca'].map((name) => object('v1', 'ConfigMap', name)),
  object('v1', 'ServiceAccount', 'robot', { imagePullSecrets: [{ name: 'pull' }] }),
  madeFromImage(claim('data', { volumeName: 'pv-1' })),
  claim('base', { dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' } }),
  claim('dump'),
  claim('disc'),
  claim('image', {}, {}, 'images'),
  claim('persistent-state-for-web-xyz', {}, { 'persistent-state-for': 'web' }),
  object(
    'v1',
    'PersistentVolume',
    'pv-1',
    { spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, hostPath: { path: '/x' } } },
    '',
  ),
  object('snapshot.storage.k8s.io/v1', 'VolumeSnapshot', 'before', {
    spec: { source: { volumeSnapshotContentName: 'kept-before' } },
  }),
  object(
    'cdi.kubevirt.io/v1beta1',
    'DataImportCron',
    'fresh',
    {
      spec: {
        managedDataSource: 'golden',
        schedule: '0 3 * * *',
        template: {
          spec: {
            source: { registry: { url: 'docker://registry.example/os', secretRef: 'login' } },
            storage: { ...storage, storageClassName: 'fast' },
          },
        },
      },
    },
    'images',
  ),
  keptUpToDate(
    object(
      'cdi.kubevirt.io/v1beta1',
      'DataSource',
      'golden',
      { spec: { source: { pvc: { name: 'image', namespace: 'images' } } } },
      'images',
    ),
  ),
  object('k8s.cni.cncf.io/v1', 'NetworkAttachmentDefinition', 'blue', { spec: { config: '{}' } }),
  object(
    'harvesterhci.io/v1beta1',
    'VirtualMachineImage',
    'os',
    { spec: { displayName: 'os', sourceType: 'upload' } },
    'images',
  ),
  object('harvesterhci.io/v1beta1', 'KeyPair', 'mine', { spec: { publicKey: PUBLIC_KEY } }),
  object('harvesterhci.io/v1beta1', 'VirtualMachineTemplate', 'small-vm', { spec: {} }),
  object('harvesterhci.io/v1beta1', 'VirtualMachineTemplateVersion', 'small-vm-1', {
    spec: { templateId: 'default/small-vm', keyPairIds: ['default/mine'] },
  }),
];

const source = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };

/** Made of the VM, or for it. */
const ABOUT_VM: readonly KubeObject[] = [
  object('snapshot.kubevirt.io/v1beta1', 'VirtualMachineSnapshot', 'nightly', {
    spec: { source },
    status: { virtualMachineSnapshotContentName: 'content-1' },
  }),
  object('snapshot.kubevirt.io/v1beta1', 'VirtualMachineSnapshotContent', 'content-1', {
    spec: {
      source: {},
      volumeBackups: [{ volumeName: 'b', volumeSnapshotName: 'nightly-b', persistentVolumeClaim: {} }],
    },
  }),
  object('harvesterhci.io/v1beta1', 'VirtualMachineBackup', 'monday', {
    metadata: { name: 'monday', namespace: 'default', annotations: { [FOUND_BACKUP]: 'true' } },
    spec: { source, type: 'backup' },
    status: { readyToUse: true, source: { metadata: { name: 'web' }, spec: (everything as UnknownObject).spec } },
  }),
  object('harvesterhci.io/v1beta1', 'ScheduleVMBackup', 'weekly', {
    spec: { cron: '0 3 * * 1', vmbackup: { source, type: 'backup' } },
  }),
  object('harvesterhci.io/v1beta1', 'VirtualMachineRestore', 'again', {
    spec: { target: source, virtualMachineBackupName: 'monday' },
  }),
  object('harvesterhci.io/v1beta1', 'ResourceQuota', 'default-resource-quota', {
    spec: { snapshotLimit: { vmTotalSnapshotSizeQuota: { web: 2 ** 34 } } },
  }),
];

const fast = needs('StorageClass -/fast', 'spec.storageClassName');

/** What VM and VMI have in common; `base`: where their spec is. */
const shared = (base: string) => {
  const volume = (index: number, path: string): string => `${base}.volumes[${index}].${path}`;
  const robot = (at: string) => needs('ServiceAccount robot', at, needs('Secret pull', 'imagePullSecrets[0].name'));
  return {
    credentials: [
      needs('Secret ssh', `${base}.accessCredentials[0].sshPublicKey.source.secret.secretName`),
      needs('Secret password', `${base}.accessCredentials[1].userPassword.source.secret.secretName`),
    ],
    disks: [
      needs(
        'PersistentVolumeClaim data',
        volume(1, 'persistentVolumeClaim.claimName'),
        may('PersistentVolume -/pv-1', 'spec.volumeName'),
        fast,
        may('VirtualMachineImage images/os', 'metadata.annotations[harvesterhci.io/imageId]'),
      ),
      needs(
        'PersistentVolumeClaim base',
        volume(2, 'ephemeral.persistentVolumeClaim.claimName'),
        fast,
        may('VolumeSnapshot before', 'spec.dataSourceRef.name'),
      ),
      needs('PersistentVolumeClaim dump', volume(3, 'memoryDump.claimName'), fast),
      needs('ConfigMap settings', volume(4, 'configMap.name')),
      missing(may('Secret keys', volume(5, 'secret.secretName'))),
      robot(volume(6, 'serviceAccount.serviceAccountName')),
      needs('Secret user', volume(7, 'cloudInitNoCloud.secretRef.name')),
      needs('Secret net', volume(7, 'cloudInitNoCloud.networkDataSecretRef.name')),
      needs('Secret licence', volume(8, 'sysprep.secret.name')),
      needs('Secret pull', volume(9, 'containerDisk.imagePullSecret')),
    ],
    state: [needs('PersistentVolumeClaim persistent-state-for-web-xyz', 'metadata.labels', fast)],
    rest: [
      may('NetworkAttachmentDefinition blue', `${base}.networks[1].multus.networkName`),
      missing(may('NetworkAttachmentDefinition infra/red', `${base}.networks[2].multus.networkName`)),
      needs('Secret pull', `${base}.domain.firmware.kernelBoot.container.imagePullSecret`),
      needs('PriorityClass -/high', `${base}.priorityClassName`),
    ],
  };
};

const ofVm = shared('spec.template.spec');
const template = (index: number, path: string): string => `spec.dataVolumeTemplates[${index}].${path}`;
const stopped: readonly Expected[] = [
  may('VirtualMachineInstancetype small', 'spec.instancetype.name'),
  needs('ControllerRevision small-1', 'status.instancetypeRef.controllerRevisionRef.name'),
  may('VirtualMachineClusterPreference -/linux', 'spec.preference.name'),
  needs('ControllerRevision linux-1', 'status.preferenceRef.controllerRevisionRef.name'),
  ...ofVm.credentials,
  missing(
    needs(
      'DataVolume made',
      'spec.template.spec.volumes[0].dataVolume.name',
      missing(needs('PersistentVolumeClaim made', 'metadata.name')),
      needs('Secret login', template(0, 'spec.source.http.secretRef')),
      needs('ConfigMap ca', template(0, 'spec.source.http.certConfigMap')),
      needs('StorageClass -/fast', template(0, 'spec.storage.storageClassName')),
    ),
  ),
  ...ofVm.disks,
  missing(
    needs(
      'DataVolume spare',
      'spec.template.spec.volumes[11].dataVolume.name',
      missing(needs('PersistentVolumeClaim spare', 'metadata.name')),
      needs(
        'DataSource images/golden',
        template(1, 'spec.sourceRef.name'),
        needs('PersistentVolumeClaim images/image', 'spec.source.pvc.name', fast),
        may(
          'DataImportCron images/fresh',
          'metadata.labels[cdi.kubevirt.io/dataImportCron]',
          missing(may('Secret images/login', 'spec.template.spec.source.registry.secretRef')),
          may('StorageClass -/fast', 'spec.template.spec.storage.storageClassName'),
        ),
      ),
    ),
  ),
  ...ofVm.state,
  ...ofVm.rest,
  may('KeyPair mine', 'spec.template.metadata.annotations[harvesterhci.io/sshNames]'),
  missing(may('KeyPair team/gone', 'spec.template.metadata.annotations[harvesterhci.io/sshNames]')),
  may(
    'VirtualMachineTemplate small-vm',
    'metadata.labels[template.harvesterhci.io/templateID]',
    may('VirtualMachineTemplateVersion small-vm-1', 'spec.defaultVersionId', may('KeyPair mine', 'spec.keyPairIds[0]')),
  ),
  may(
    'VirtualMachineSnapshot nightly',
    'spec.source.name',
    may(
      'VirtualMachineSnapshotContent content-1',
      'status.virtualMachineSnapshotContentName',
      missing(may('VolumeSnapshot nightly-b', 'spec.volumeBackups[0].volumeSnapshotName')),
    ),
  ),
  may('VirtualMachineBackup monday', 'spec.source.name'),
  may('ScheduleVMBackup weekly', 'spec.vmbackup.source.name'),
  may(
    'VirtualMachineRestore again',
    'spec.target.name',
    may('VirtualMachineBackup monday', 'spec.virtualMachineBackupName'),
  ),
  may('ResourceQuota default-resource-quota', 'spec.snapshotLimit.vmTotalSnapshotSizeQuota[web]'),
];

const pod = needs('Pod virt-launcher-web-abcde', 'metadata.ownerReferences');
const running: readonly Expected[] = [
  needs(
    'VirtualMachineInstance web',
    'metadata.name',
    pod,
    needs('PersistentVolumeClaim disc', 'spec.volumes[12].persistentVolumeClaim.claimName', fast),
  ),
  ...stopped,
];
const ofVmi = shared('spec');
const asVmi: readonly Expected[] = [
  pod,
  ...ofVmi.credentials,
  missing(
    needs(
      'DataVolume made',
      'spec.volumes[0].dataVolume.name',
      missing(needs('PersistentVolumeClaim made', 'metadata.name')),
    ),
  ),
  ...ofVmi.disks,
  missing(
    needs(
      'DataVolume spare',
      'spec.volumes[11].dataVolume.name',
      missing(needs('PersistentVolumeClaim spare', 'metadata.name')),
    ),
  ),
  needs('PersistentVolumeClaim disc', 'spec.volumes[12].persistentVolumeClaim.claimName', fast),
  ...ofVmi.state,
  ...ofVmi.rest,
];

const graph = (path: string): Promise<unknown> => {
  const [plain = '', query = ''] = path.split('?');
  const parameters = Object.fromEntries(new URLSearchParams(query));
  return installation.server.client.call({ method: 'GET', path: `${SUB}/${plain}`, query: parameters });
};

/** As one of the system's own parts: nobody else makes the contents of snapshots. */
const component = (): Client =>
  new Client(
    installation.server.inProcess({
      username: 'system:serviceaccount:kubevirt:kubevirt-controller',
      groups: ['system:masters'],
    }),
  );

async function create(made: KubeObject, client = installation.server.client): Promise<KubeObject> {
  const kinds: readonly Kind[] = [...builtinKinds, ...kubevirtKinds];
  const kind = kinds.find(
    (each) => each.kind === made.kind && [each.group, each.version].filter(Boolean).join('/') === made.apiVersion,
  );
  if (!kind) throw new TypeError(`${made.apiVersion} ${made.kind} is not served`);
  const resource = client.of<UnknownObject>(kind);
  const created = await resource.create(made as UnknownObject);
  const { status } = made as UnknownObject;
  const { name = '', namespace } = made.metadata;
  if (status) await resource.patchStatus(name, { status }, { namespace, type: 'merge' });
  return created;
}

beforeAll(async () => {
  installation = await install();
  const { client } = installation.server;
  await client.of(Namespace).create({ metadata: { name: 'images' } });
  for (const made of [...OBJECTS, everything]) await create(made);
  // A version names its template, and that one its default version.
  const patch = { spec: { defaultVersionId: 'default/small-vm-1' } };
  await client.of(HarvesterTemplate).patch('small-vm', patch, { namespace: 'default', type: 'merge' });
  for (const made of ABOUT_VM) await create(made, component());
  const kept = (name: string) => ({ name, controllerRevisionRef: { name: `${name}-1` } });
  const status = { instancetypeRef: kept('small'), preferenceRef: kept('linux') };
  await client.of(VirtualMachine).patchStatus('web', { status }, { namespace: 'default', type: 'merge' });
  await vi.waitFor(async () => {
    const text = JSON.stringify(await graph('virtualmachines/web/objectgraph'));
    const watched = [
      'content-1',
      'monday',
      'weekly',
      'again',
      'default-resource-quota',
      'persistent-state-for-web-xyz',
    ];
    for (const name of [...watched, 'small-1']) expect(text).toContain(name);
  }, WATCHED);
}, 60_000);
afterAll(() => installation?.close());

/** The response in every form beside what it should be. */
async function expectForms(path: string, root: Expected): Promise<void> {
  expect(await graph(path)).toEqual(asTree(root));
  expect(await graph(`${path}?format=hierarchical`)).toEqual({ items: root.children.map(asHierarchy) });
  expect(await graph(`${path}?format=flat`)).toEqual({ items: asFlat(root.children) });
}

const VM = 'virtualmachines/web/objectgraph';

describe('a VM that uses everything', () => {
  it('has in its graph what it needs while it is stopped', () =>
    expectForms(VM, needs('VirtualMachine web', '', ...stopped)));

  it('has a graph that a selector by type prunes with all that is below', async () => {
    const isStorage = (each: Expected): boolean => typeOf(each) === 'storage';
    const storageOf = (nodes: readonly Expected[]): Expected[] =>
      nodes.filter(isStorage).map((node) => ({ ...node, children: storageOf(node.children) }));
    const selected = await graph(`${VM}?labelSelector=kubevirt.io/dependency-type=storage`);
    expect(selected).toEqual(asTree(needs('VirtualMachine web', '', ...storageOf(stopped))));
  });

  it('has a graph that can leave out what is optional', async () => {
    const needed = (nodes: readonly Expected[]): Expected[] =>
      nodes.filter(({ isOptional }) => !isOptional).map((node) => ({ ...node, children: needed(node.children) }));
    const selected = await graph(`${VM}?includeOptionalNodes=false&format=flat`);
    expect(selected).toEqual({ items: asFlat(needed(stopped)) });
  });

  it('has in its graph, and its VMI too, a disc that was put into the VMI alone', async () => {
    const disc = { name: 'cd', persistentVolumeClaim: { claimName: 'disc', hotpluggable: true } };
    const disks = [...spec.domain.devices.disks, { name: 'cd', cdrom: { bus: 'sata' } }];
    const domain = { ...spec.domain, memory: { guest: '64Mi' }, devices: { ...spec.domain.devices, disks } };
    const { metadata } = await create(
      object('kubevirt.io/v1', 'VirtualMachineInstance', 'web', {
        spec: { ...spec, domain, volumes: [...spec.volumes, disc] },
      }),
    );
    const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: metadata.uid };
    const launcher = object('v1', 'Pod', 'virt-launcher-web-abcde', {
      spec: { containers: [{ name: 'compute', image: 'none' }] },
    });
    const labels = { 'kubevirt.io': 'virt-launcher' };
    await create({ ...launcher, metadata: { ...launcher.metadata, labels, ownerReferences: [owner] } } as KubeObject);
    await vi.waitFor(async () => expect(JSON.stringify(await graph(VM))).toContain('virt-launcher-web-abcde'), WATCHED);
    await expectForms(VM, needs('VirtualMachine web', '', ...running));
    await expectForms('virtualmachineinstances/web/objectgraph', needs('VirtualMachineInstance web', '', ...asVmi));
  });
});

describe('a VM with as many volumes as it can have', () => {
  it('has them all in its graph, each with what it stands on', async () => {
    const names = Array.from({ length: 256 }, (_, i) => `disk-${i}`);
    const volumes = names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } }));
    await Promise.all(names.slice(0, 128).map((name) => create(claim(name))));
    await create(
      object('kubevirt.io/v1', 'VirtualMachine', 'wide', {
        spec: {
          runStrategy: 'Halted',
          template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } }, volumes } },
        },
      }),
    );
    const expected = names.map((name, i) => {
      const at = `spec.template.spec.volumes[${i}].persistentVolumeClaim.claimName`;
      const of = `PersistentVolumeClaim ${name}`;
      return i < 128 ? needs(of, at, fast) : missing(needs(of, at));
    });
    await expectForms('virtualmachines/wide/objectgraph', needs('VirtualMachine wide', '', ...expected));
  });
});

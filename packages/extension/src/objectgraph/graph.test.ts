import type { UnknownObject } from '@vireo/api';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { describe, expect, it } from 'vitest';
import { lookupOf, object } from '../testing/graphLookup.ts';
import { vmiWith, vmWith } from '../testing/vms.ts';
import { filterGraph } from './filter.ts';
import { type GraphNode, graphOfPool, graphOfReplicaSet, graphOfVm, graphOfVmi } from './graph.ts';
import { manifestsOf } from './manifests.ts';
import { readGraphOptions } from './options.ts';
import { flatNodes, render } from './render.ts';

/** A graph as text: a line an object, below what needs it. `?`: optional. */
function lines({ children }: GraphNode, indent = ''): string[] {
  return children.flatMap((node) => {
    const { kind, namespace, name, isOptional, status, fieldPath } = node;
    const where = namespace === 'default' ? '' : `${namespace || '-'}/`;
    const mark = `${isOptional ? '?' : ''}${status === 'present' ? '' : ` ${status}`}`;
    return [`${indent}${kind.kind} ${where}${name}${mark} < ${fieldPath}`, ...lines(node, `${indent}  `)];
  });
}

const volumes = [
  { name: 'a', dataVolume: { name: 'made' } },
  { name: 'b', persistentVolumeClaim: { claimName: 'data' } },
  { name: 'c', ephemeral: { persistentVolumeClaim: { claimName: 'base' } } },
  { name: 'd', memoryDump: { claimName: 'dump' } },
  { name: 'e', configMap: { name: 'settings' } },
  { name: 'f', secret: { secretName: 'keys', optional: true } },
  { name: 'g', serviceAccount: { serviceAccountName: 'robot' } },
  { name: 'h', cloudInitNoCloud: { secretRef: { name: 'user' }, networkDataSecretRef: { name: 'net' } } },
  { name: 'i', cloudInitConfigDrive: { secretRef: { name: 'user' } } },
  { name: 'j', sysprep: { configMap: { name: 'answers' } } },
  { name: 'k', sysprep: { secret: { name: 'licence' } } },
  { name: 'l', containerDisk: { image: 'registry.example/os', imagePullSecret: 'pull' } },
  { name: 'm', emptyDisk: { capacity: '1Gi' } },
];
const spec = {
  domain: {
    devices: { tpm: { persistent: true } },
    firmware: { kernelBoot: { container: { image: 'registry.example/kernel', imagePullSecret: 'pull' } } },
  },
  accessCredentials: [
    {
      sshPublicKey: { source: { secret: { secretName: 'ssh' } }, propagationMethod: { noCloud: {} } },
    },
    {
      userPassword: { source: { secret: { secretName: 'password' } }, propagationMethod: { qemuGuestAgent: {} } },
    },
  ],
  volumes,
  networks: [
    { name: 'p', pod: {} },
    { name: 'q', multus: { networkName: 'blue' } },
    { name: 'r', multus: { networkName: 'infra/red' } },
  ],
  serviceAccountName: 'robot',
  priorityClassName: 'high',
  resourceClaims: [{ name: 'gpu', resourceClaimName: 'card' }],
};

const everything = vmWith({
  instancetype: { kind: 'VirtualMachineInstancetype', name: 'small' },
  preference: { name: 'linux', revisionName: 'linux-1' },
  dataVolumeTemplates: [
    {
      metadata: { name: 'made' },
      spec: {
        source: { http: { url: 'https://images.example/os', secretRef: 'login', certConfigMap: 'ca' } },
        storage: { storageClassName: 'fast' },
      },
    },
    { metadata: { name: 'spare' }, spec: { sourceRef: { kind: 'DataSource', name: 'golden', namespace: 'images' } } },
  ],
  template: { spec },
  status: {
    instancetypeRef: { name: 'small', controllerRevisionRef: { name: 'small-1' } },
  },
});

const owner = { apiVersion: 'kubevirt.io/v1', kind: 'VirtualMachineInstance', name: 'web', uid: 'vmi-uid' };
const claim = (name: string, claimSpec: object = {}, metadata: object = {}, namespace = 'default') =>
  object('v1 PersistentVolumeClaim', name, { metadata, spec: claimSpec }, namespace);
const objects: readonly UnknownObject[] = [
  object('kubevirt.io/v1 VirtualMachineInstance', 'web'),
  object('v1 Pod', 'virt-launcher-web-abcde', { metadata: { ownerReferences: [owner] } }),
  claim('data', { storageClassName: 'fast', volumeName: 'pv-1' }),
  claim('base', { dataSourceRef: { apiGroup: 'snapshot.storage.k8s.io', kind: 'VolumeSnapshot', name: 'before' } }),
  claim('disc'),
  claim('image', {}, {}, 'images'),
  claim('persistent-state-for-web-xyz', {}, { labels: { 'persistent-state-for': 'web' } }),
  object('v1 PersistentVolume', 'pv-1', {}, ''),
  object('storage.k8s.io/v1 StorageClass', 'fast', {}, ''),
  object(
    'cdi.kubevirt.io/v1beta1 DataSource',
    'golden',
    { spec: { source: { pvc: { name: 'image', namespace: 'images' } } } },
    'images',
  ),
  object('v1 ServiceAccount', 'robot', { imagePullSecrets: [{ name: 'pull' }] }),
  object('harvesterhci.io/v1beta1 VirtualMachineBackup', 'monday', {
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' }, type: 'backup' },
  }),
  object('snapshot.kubevirt.io/v1beta1 VirtualMachineSnapshot', 'nightly', {
    spec: { source: { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' } },
    status: { virtualMachineSnapshotContentName: 'content-1' },
  }),
];

/** What VM and VMI have in common, for the base of its paths. */
const shared = (base: string) => ({
  credentials: [
    `Secret ssh missing < ${base}.accessCredentials[0].sshPublicKey.source.secret.secretName`,
    `Secret password missing < ${base}.accessCredentials[1].userPassword.source.secret.secretName`,
  ],
  disks: [
    `PersistentVolumeClaim data < ${base}.volumes[1].persistentVolumeClaim.claimName`,
    '  PersistentVolume -/pv-1? < spec.volumeName',
    '  StorageClass -/fast < spec.storageClassName',
    `PersistentVolumeClaim base < ${base}.volumes[2].ephemeral.persistentVolumeClaim.claimName`,
    '  VolumeSnapshot before? missing < spec.dataSourceRef.name',
    `PersistentVolumeClaim dump missing < ${base}.volumes[3].memoryDump.claimName`,
    `ConfigMap settings missing < ${base}.volumes[4].configMap.name`,
    `Secret keys? missing < ${base}.volumes[5].secret.secretName`,
    `ServiceAccount robot < ${base}.volumes[6].serviceAccount.serviceAccountName`,
    '  Secret pull missing < imagePullSecrets[0].name',
    `Secret user missing < ${base}.volumes[7].cloudInitNoCloud.secretRef.name`,
    `Secret net missing < ${base}.volumes[7].cloudInitNoCloud.networkDataSecretRef.name`,
    `Secret user missing < ${base}.volumes[8].cloudInitConfigDrive.secretRef.name`,
    `ConfigMap answers missing < ${base}.volumes[9].sysprep.configMap.name`,
    `Secret licence missing < ${base}.volumes[10].sysprep.secret.name`,
    `Secret pull missing < ${base}.volumes[11].containerDisk.imagePullSecret`,
  ],
  state: ['PersistentVolumeClaim persistent-state-for-web-xyz < metadata.labels'],
  rest: [
    `NetworkAttachmentDefinition blue? missing < ${base}.networks[1].multus.networkName`,
    `NetworkAttachmentDefinition infra/red? missing < ${base}.networks[2].multus.networkName`,
    `Secret pull missing < ${base}.domain.firmware.kernelBoot.container.imagePullSecret`,
    `ServiceAccount robot < ${base}.serviceAccountName`,
    '  Secret pull missing < imagePullSecrets[0].name',
    `PriorityClass -/high missing < ${base}.priorityClassName`,
    `ResourceClaim card missing < ${base}.resourceClaims[0].resourceClaimName`,
  ],
});

const ofTypes = [
  'VirtualMachineInstancetype small? missing < spec.instancetype.name',
  'ControllerRevision small-1 missing < status.instancetypeRef.controllerRevisionRef.name',
  'VirtualMachineClusterPreference -/linux? missing < spec.preference.name',
  'ControllerRevision linux-1 missing < spec.preference.revisionName',
];
const ofTemplates = {
  made: [
    'DataVolume made missing < spec.template.spec.volumes[0].dataVolume.name',
    '  PersistentVolumeClaim made missing < metadata.name',
    '  Secret login missing < spec.dataVolumeTemplates[0].spec.source.http.secretRef',
    '  ConfigMap ca missing < spec.dataVolumeTemplates[0].spec.source.http.certConfigMap',
    '  StorageClass -/fast < spec.dataVolumeTemplates[0].spec.storage.storageClassName',
  ],
  spare: [
    'DataVolume spare missing < spec.dataVolumeTemplates[1].metadata.name',
    '  PersistentVolumeClaim spare missing < metadata.name',
    '  DataSource images/golden < spec.dataVolumeTemplates[1].spec.sourceRef.name',
    '    PersistentVolumeClaim images/image < spec.source.pvc.name',
  ],
};
const ofSnapshots = [
  'VirtualMachineSnapshot nightly? < spec.source.name',
  '  VirtualMachineSnapshotContent content-1? missing < status.virtualMachineSnapshotContentName',
  'VirtualMachineBackup monday? < spec.source.name',
];

describe('a VM that uses everything', () => {
  const { credentials, disks, state, rest } = shared('spec.template.spec');
  const stopped = [
    ...ofTypes,
    ...credentials,
    ...ofTemplates.made,
    ...disks,
    ...ofTemplates.spare,
    ...state,
    ...rest,
    ...ofSnapshots,
  ];

  it('has in its graph what it needs while it is stopped', async () => {
    expect(lines(await graphOfVm(everything, undefined, lookupOf(objects)))).toEqual(stopped);
  });

  it('has in its graph a disc that was put into the running VMI alone', async () => {
    const vmi = vmiWith({
      spec: { ...spec, volumes: [...volumes, { name: 'cd', persistentVolumeClaim: { claimName: 'disc' } }] },
    });
    expect(lines(await graphOfVm(everything, vmi, lookupOf(objects)))).toEqual([
      'VirtualMachineInstance web < metadata.name',
      '  Pod virt-launcher-web-abcde < metadata.ownerReferences',
      '  PersistentVolumeClaim disc < spec.volumes[13].persistentVolumeClaim.claimName',
      ...stopped,
    ]);
  });

  it('has a VMI with a graph of its own', async () => {
    const ofVmi = shared('spec');
    expect(lines(await graphOfVmi(vmiWith({ spec }), lookupOf(objects)))).toEqual([
      'Pod virt-launcher-web-abcde < metadata.ownerReferences',
      ...ofVmi.credentials,
      'DataVolume made missing < spec.volumes[0].dataVolume.name',
      '  PersistentVolumeClaim made missing < metadata.name',
      ...ofVmi.disks,
      ...ofVmi.state,
      ...ofVmi.rest,
    ]);
  });
});

describe('volumes that move to other claims', () => {
  const on = (claimName: string) => ({
    domain: { devices: {} },
    volumes: [{ name: 'a', persistentVolumeClaim: { claimName } }],
  });
  const migratedVolumes = [{ volumeName: 'a', sourcePVCInfo: { claimName: 'data' } }];
  const from = (at: string) => [
    `PersistentVolumeClaim data < ${at}.migratedVolumes[0].sourcePVCInfo.claimName`,
    '  PersistentVolume -/pv-1? < spec.volumeName',
    '  StorageClass -/fast < spec.storageClassName',
  ];

  it('are in the graph of a VM with the claims that their data is on', async () => {
    const vm = vmWith({
      template: { spec: on('disc') },
      status: { volumeUpdateState: { volumeMigrationState: { migratedVolumes } } },
    });
    expect(lines(await graphOfVm(vm, undefined, lookupOf(objects.slice(2))))).toEqual([
      'PersistentVolumeClaim disc < spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
      ...from('status.volumeUpdateState.volumeMigrationState'),
      'PersistentVolumeClaim persistent-state-for-web-xyz < metadata.labels',
      ...ofSnapshots,
    ]);
  });

  it('are so in that of a VMI', async () => {
    const vmi = vmiWith({ spec: on('disc'), status: { migratedVolumes } });
    expect(lines(await graphOfVmi(vmi, lookupOf(objects.slice(2, -1))))).toEqual([
      'PersistentVolumeClaim disc < spec.volumes[0].persistentVolumeClaim.claimName',
      ...from('status'),
      'PersistentVolumeClaim persistent-state-for-web-xyz < metadata.labels',
    ]);
  });
});

describe('a DataVolume', () => {
  const vm = vmWith({
    template: { spec: { domain: { devices: {} }, volumes: [{ name: 'a', dataVolume: { name: 'disk' } }] } },
  });
  const source = { source: { s3: { url: 's3://images/os', secretRef: 'login' } }, pvc: { storageClassName: 'fast' } };
  const dataVolume = (phase: string) =>
    object('cdi.kubevirt.io/v1beta1 DataVolume', 'disk', { spec: source, status: { phase } });

  it('that is filled can do without its source', async () => {
    const found = [dataVolume('Succeeded'), claim('disk', { storageClassName: 'fast' })];
    expect(lines(await graphOfVm(vm, undefined, lookupOf(found)))).toEqual([
      'DataVolume disk < spec.template.spec.volumes[0].dataVolume.name',
      '  PersistentVolumeClaim disk < metadata.name',
      '    StorageClass -/fast missing < spec.storageClassName',
      '  Secret login? missing < spec.source.s3.secretRef',
    ]);
  });

  it('that waits cannot, and tells the class of the claim to come', async () => {
    expect(lines(await graphOfVm(vm, undefined, lookupOf([dataVolume('Pending')])))).toEqual([
      'DataVolume disk < spec.template.spec.volumes[0].dataVolume.name',
      '  PersistentVolumeClaim disk missing < metadata.name',
      '  Secret login missing < spec.source.s3.secretRef',
      '  StorageClass -/fast missing < spec.pvc.storageClassName',
    ]);
  });
});

const withClaim = (claimName: string) =>
  vmWith({
    template: { spec: { domain: { devices: {} }, volumes: [{ name: 'a', persistentVolumeClaim: { claimName } }] } },
  });

describe('what is about a VM', () => {
  const target = { apiGroup: 'kubevirt.io', kind: 'VirtualMachine', name: 'web' };
  const quota = (snapshotLimit: object) =>
    object('harvesterhci.io/v1beta1 ResourceQuota', 'default-resource-quota', { spec: { snapshotLimit } });
  const plain = vmWith({ template: { spec: { domain: { devices: {} } } } });

  it('is optional: restores of both APIs with what they restore, and schedules', async () => {
    const found = [
      object('snapshot.kubevirt.io/v1beta1 VirtualMachineRestore', 'undo', {
        spec: { target, virtualMachineSnapshotName: 'nightly' },
      }),
      object('harvesterhci.io/v1beta1 ScheduleVMBackup', 'weekly', { spec: { vmbackup: { source: target } } }),
      object('harvesterhci.io/v1beta1 VirtualMachineRestore', 'moved', {
        spec: { target, virtualMachineBackupName: 'monday', virtualMachineBackupNamespace: 'old' },
      }),
      object('harvesterhci.io/v1beta1 VirtualMachineRestore', 'other', {
        spec: { target: { ...target, name: 'other' }, virtualMachineBackupName: 'monday' },
      }),
    ];
    const graph = await graphOfVm(plain, undefined, lookupOf(found));
    expect(lines(graph)).toEqual([
      'VirtualMachineRestore undo? < spec.target.name',
      '  VirtualMachineSnapshot nightly? missing < spec.virtualMachineSnapshotName',
      'ScheduleVMBackup weekly? < spec.vmbackup.source.name',
      'VirtualMachineRestore moved? < spec.target.name',
      '  VirtualMachineBackup old/monday? missing < spec.virtualMachineBackupName',
    ]);
    const only = (kinds: string) =>
      filterGraph(graph, readGraphOptions({}, new URLSearchParams({ kinds }))).children.map(({ name }) => name);
    expect(only('VirtualMachineRestore')).toEqual(['undo', 'moved']);
    expect(only('virtualmachinerestores.harvesterhci.io')).toEqual(['moved']);
  });

  it.each([
    ['its own', { vmTotalSnapshotSizeQuota: { web: 1 } }, 'vmTotalSnapshotSizeQuota[web]'],
    ['that of its namespace', { namespaceTotalSnapshotSizeQuota: 1 }, 'namespaceTotalSnapshotSizeQuota'],
    [
      'its own before that of its namespace',
      { namespaceTotalSnapshotSizeQuota: 1, vmTotalSnapshotSizeQuota: { web: 1 } },
      'vmTotalSnapshotSizeQuota[web]',
    ],
    ['none of another VM', { vmTotalSnapshotSizeQuota: { other: 1, web: 0 } }, undefined],
    ['none without a limit', { namespaceTotalSnapshotSizeQuota: 0 }, undefined],
  ])('has a quota if it limits the VM: %s', async (_, limits, field) => {
    expect(lines(await graphOfVm(plain, undefined, lookupOf([quota(limits)])))).toEqual(
      field ? [`ResourceQuota default-resource-quota? < spec.snapshotLimit.${field}`] : [],
    );
  });

  it('is not in manifests', async () => {
    const found = [
      object('harvesterhci.io/v1beta1 ScheduleVMBackup', 'weekly', { spec: { vmbackup: { source: target } } }),
      quota({ namespaceTotalSnapshotSizeQuota: 1 }),
    ];
    const graph = await graphOfVm(plain, undefined, lookupOf(found));
    expect(graph.children).toHaveLength(2);
    expect(manifestsOf(graph, { ...plain }, false)).toMatchObject({ items: [{ kind: 'VirtualMachine' }] });
  });
});

describe('exports', () => {
  const exported = (name: string, kind: string, source: string, rest: object = {}) =>
    object('export.kubevirt.io/v1 VirtualMachineExport', name, { spec: { source: { kind, name: source } }, ...rest });
  const volumes = (...names: string[]) => ({ links: { internal: { volumes: names.map((each) => ({ name: each })) } } });

  it('of a VM, its claims and its snapshots are optional, with their passwords and claims below them', async () => {
    const found = [
      claim('data'),
      claim('copy'),
      object('v1 Secret', 'password'),
      object('snapshot.kubevirt.io/v1beta1 VirtualMachineSnapshot', 'nightly', {
        spec: { source: { kind: 'VirtualMachine', name: 'web' } },
      }),
      exported('whole', 'VirtualMachine', 'web', {
        status: { tokenSecretRef: 'export-token-whole', ...volumes('data') },
      }),
      exported('disk', 'PersistentVolumeClaim', 'data', {
        spec: { source: { kind: 'PersistentVolumeClaim', name: 'data' }, tokenSecretRef: 'password' },
        status: { tokenSecretRef: 'password', ...volumes('data') },
      }),
      exported('old', 'VirtualMachineSnapshot', 'nightly', { status: volumes('copy') }),
      exported('of-another', 'VirtualMachine', 'db'),
    ];
    const disk = ['VirtualMachineExport disk? < spec.source.name', '  Secret password? < status.tokenSecretRef'];
    expect(lines(await graphOfVm(withClaim('data'), undefined, lookupOf(found)))).toEqual([
      'PersistentVolumeClaim data < spec.template.spec.volumes[0].persistentVolumeClaim.claimName',
      ...disk.map((line) => `  ${line}`),
      'VirtualMachineSnapshot nightly? < spec.source.name',
      '  VirtualMachineExport old? < spec.source.name',
      '    PersistentVolumeClaim copy? < status.links.internal.volumes[0].name',
      'VirtualMachineExport whole? < spec.source.name',
      '  Secret export-token-whole? missing < status.tokenSecretRef',
      '  PersistentVolumeClaim data? < status.links.internal.volumes[0].name',
      ...disk.map((line) => `    ${line}`),
    ]);
  });
});

describe('a chain of sources that is too long', () => {
  const source = (i: number) => ({ dataSourceRef: { apiGroup: '', kind: 'PersistentVolumeClaim', name: `c${i}` } });
  const chain = (length: number) =>
    Array.from({ length }, (_, i) => claim(`c${i}`, i < length - 1 ? source(i + 1) : {}));
  const cut = (node: GraphNode): string[] => [...(node.isCut ? [node.name] : []), ...node.children.flatMap(cut)];

  it('says where it was cut off, in every form', async () => {
    const graph = await graphOfVm(withClaim('c0'), undefined, lookupOf(chain(40)));
    expect(cut(graph)).toEqual(['c32']);
    for (const format of ['tree', 'hierarchical'] as const)
      expect(JSON.stringify(render(graph, format)).match(/"truncated":true/g)).toHaveLength(1);
    const { items } = render(graph, 'flat') as { items: { objectReference: { name: string }; labels: object }[] };
    expect(items.at(-1)).toMatchObject({
      objectReference: { name: 'c32' },
      labels: { type: 'storage', optional: 'true', truncated: 'true' },
    });
  });

  it('is not cut off where it ends by itself', async () => {
    expect(cut(await graphOfVm(withClaim('c0'), undefined, lookupOf(chain(33))))).toEqual([]);
  });
});

describe('a replica set', () => {
  const set = persisted({
    apiVersion: 'kubevirt.io/v1',
    kind: 'VirtualMachineInstanceReplicaSet',
    metadata: { name: 'workers', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'workers' } },
      template: {
        spec: {
          domain: { devices: {} },
          volumes: [
            { name: 'a', configMap: { name: 'settings' } },
            { name: 'b', secret: { secretName: 'gone' } },
          ],
          networks: [{ name: 'n', multus: { networkName: 'blue' } }],
        },
      },
    },
  });
  const replica = (name: string, more: readonly object[] = []) =>
    object('kubevirt.io/v1 VirtualMachineInstance', name, {
      metadata: { ownerReferences: [{ apiVersion: 'kubevirt.io/v1', kind: set.kind, name: 'workers', uid: 'u' }] },
      spec: { ...set.spec.template.spec, volumes: [...set.spec.template.spec.volumes, ...more] },
    });
  const pod = (name: string) =>
    object('v1 Pod', `virt-launcher-${name}`, { metadata: { ownerReferences: [{ ...owner, name }] } });

  it('has its VMIs with their pods, and what its template names', async () => {
    const found = [
      replica('workers-a'),
      replica('workers-b', [{ name: 'cd', persistentVolumeClaim: { claimName: 'disc' } }]),
      object('kubevirt.io/v1 VirtualMachineInstance', 'stranger'),
      pod('workers-a'),
      claim('disc'),
      object('v1 ConfigMap', 'settings'),
    ];
    expect(lines(await graphOfReplicaSet(set, lookupOf(found)))).toEqual([
      'VirtualMachineInstance workers-a < metadata.ownerReferences',
      '  Pod virt-launcher-workers-a < metadata.ownerReferences',
      'VirtualMachineInstance workers-b < metadata.ownerReferences',
      '  PersistentVolumeClaim disc < spec.volumes[2].persistentVolumeClaim.claimName',
      'ConfigMap settings < spec.template.spec.volumes[0].configMap.name',
      'Secret gone missing < spec.template.spec.volumes[1].secret.secretName',
      'NetworkAttachmentDefinition blue? missing < spec.template.spec.networks[0].multus.networkName',
    ]);
  });
});

describe('a pool', () => {
  const template = (suffix: string) => ({
    domain: { devices: {} },
    volumes: [
      { name: 'root', dataVolume: { name: `root${suffix}` } },
      { name: 'a', configMap: { name: `settings${suffix}` } },
      { name: 'b', secret: { secretName: 'keys' } },
    ],
  });
  const dataVolume = (name: string) => ({ metadata: { name }, spec: { storage: {} } });
  const pool = persisted({
    apiVersion: 'pool.kubevirt.io/v1beta1',
    kind: 'VirtualMachinePool',
    metadata: { name: 'desktops', namespace: 'default' },
    spec: {
      selector: { matchLabels: { app: 'desktops' } },
      nameGeneration: { appendIndexToConfigMapRefs: true },
      virtualMachineTemplate: {
        spec: {
          runStrategy: 'Always',
          instancetype: { name: 'small' },
          dataVolumeTemplates: [dataVolume('root')],
          template: { spec: template('') },
        },
      },
    },
  });
  const member = object('kubevirt.io/v1 VirtualMachine', 'desktops-0', {
    metadata: { ownerReferences: [{ apiVersion: pool.apiVersion, kind: pool.kind, name: 'desktops', uid: 'u' }] },
    spec: { runStrategy: 'Always', dataVolumeTemplates: [dataVolume('root-0')], template: { spec: template('-0') } },
  });
  const found = [member, object('kubevirt.io/v1 VirtualMachine', 'stranger'), claim('root-0')];
  const graph = () => graphOfPool(pool, lookupOf(found));

  it('has its VMs with what they depend on, and what its template names for all of them', async () => {
    expect(lines(await graph())).toEqual([
      'VirtualMachine desktops-0 < metadata.ownerReferences',
      '  DataVolume root-0 missing < spec.template.spec.volumes[0].dataVolume.name',
      '    PersistentVolumeClaim root-0 < metadata.name',
      '  ConfigMap settings-0 missing < spec.template.spec.volumes[1].configMap.name',
      '  Secret keys missing < spec.template.spec.volumes[2].secret.secretName',
      'VirtualMachineClusterInstancetype -/small? missing < spec.virtualMachineTemplate.spec.instancetype.name',
      'Secret keys missing < spec.virtualMachineTemplate.spec.template.spec.volumes[2].secret.secretName',
    ]);
  });

  it('in manifests has the disks of its VMs, which it makes itself', async () => {
    const { items } = manifestsOf(await graph(), { ...pool }, false) as { items: { kind: string; metadata: object }[] };
    expect(items.map(({ kind }) => kind)).toEqual(['PersistentVolumeClaim', 'VirtualMachinePool']);
  });
});

describe('what is shared', () => {
  it('is once in the flat form, and optional only where nothing needs it', async () => {
    const vm = vmWith({
      template: {
        spec: {
          domain: { devices: {} },
          volumes: [
            { name: 'a', secret: { secretName: 'keys', optional: true } },
            { name: 'b', secret: { secretName: 'keys' } },
            { name: 'c', secret: { secretName: 'spare', optional: true } },
          ],
        },
      },
    });
    const once = flatNodes(await graphOfVm(vm, undefined, lookupOf([])));
    expect(once.map(({ name, isOptional }) => ({ name, isOptional }))).toEqual([
      { name: 'keys', isOptional: false },
      { name: 'spare', isOptional: true },
    ]);
  });

  it('is read once, also for 500 disks of one class', async () => {
    const names = Array.from({ length: 500 }, (_, i) => `disk-${i}`);
    const reads: string[] = [];
    const found = lookupOf(names.map((name) => claim(name, { storageClassName: 'fast' })));
    const counting = {
      ...found,
      find: (...[kind, namespace, name]: Parameters<typeof found.find>) => {
        reads.push(`${kind.kind} ${name}`);
        return found.find(kind, namespace, name);
      },
    };
    const vm = vmWith({
      template: {
        spec: {
          domain: { devices: {} },
          volumes: names.map((name) => ({ name, persistentVolumeClaim: { claimName: name } })),
        },
      },
    });
    const { children } = await graphOfVm(vm, undefined, counting);
    expect(children).toHaveLength(500);
    expect(reads).toHaveLength(501);
  });
});

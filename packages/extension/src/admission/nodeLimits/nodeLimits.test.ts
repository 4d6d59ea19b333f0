import {
  ClusterRole,
  ClusterRoleBinding,
  Namespace,
  Node,
  PersistentVolume,
  PersistentVolumeClaim,
  StorageClass,
  ValidatingAdmissionPolicy,
  ValidatingAdmissionPolicyBinding,
  ValidatingWebhookConfiguration,
} from '@vireo/api';
import { IMPORT_SECRET, POD_PHASE } from '@vireo/api/kinds/cdi/names.ts';
import {
  LOCAL_PROVISIONER,
  PROVISIONED_BY,
  PROVISIONER_FINALIZER,
  SELECTED_NODE,
  SHARED_PROVISIONER,
  VOLUME_MANAGER,
  VOLUME_PROTECTION,
} from '@vireo/api/kinds/core/volumeNames.ts';
import { NODE_GROUP, nodeUser } from '@vireo/api/kinds/kubevirt/identities.ts';
import { NODE_NAME_LABEL } from '@vireo/api/kinds/kubevirt/names.ts';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import { CONTENT_PROTECTION, MANAGED_BY } from '@vireo/api/kinds/volumesnapshot/names.ts';
import { VolumeSnapshotContent } from '@vireo/api/kinds/volumesnapshot/volumeSnapshotContent.ts';
import { Client } from '@vireo/kube';
import { NODES_IDENTITY } from '@vireo/node/identity.ts';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Installation, install } from '../../testing/installation.ts';

const namespace = 'shop';
const at = { namespace, type: 'merge', dryRun: true } as const;
const everywhere = { type: 'merge', dryRun: true } as const;
const HOSTNAME = 'kubernetes.io/hostname';

let installation: Installation;
/** As node a. */
let node: Client;
const uids: Record<string, string> = {};

const clientOf = (username: string, groups: string[]): Client =>
  new Client(installation.server.inProcess({ username, groups: [...groups, 'system:authenticated'] }));

const tiedTo = (...values: string[]) => ({
  required: { nodeSelectorTerms: [{ matchExpressions: [{ key: HOSTNAME, operator: 'In', values }] }] },
});

/** A volume for a claim, as a node makes it. */
const volume = (claim: string, on: string, spec: object = {}, metadata: object = {}) => ({
  metadata: {
    name: `pvc-${uids[claim]}`,
    annotations: { [PROVISIONED_BY]: LOCAL_PROVISIONER },
    finalizers: [PROVISIONER_FINALIZER],
    ...metadata,
  },
  spec: {
    accessModes: ['ReadWriteOnce'],
    capacity: { storage: '1Gi' },
    claimRef: { apiVersion: 'v1', kind: 'PersistentVolumeClaim', namespace, name: claim, uid: uids[claim] },
    local: { path: '/volumes/x' },
    nodeAffinity: tiedTo(on),
    persistentVolumeReclaimPolicy: 'Delete',
    storageClassName: 'fast',
    volumeMode: 'Filesystem',
    ...spec,
  },
});

/** A volume in a shared directory. */
const shared = (claim: string, manager: string, path = `/srv/shared/volumes/pvc-${uids[claim]}`) =>
  volume(
    claim,
    '',
    {
      local: { path },
      storageClassName: 'shared',
      nodeAffinity: {
        required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'shared.vireo.io/1', operator: 'Exists' }] }] },
      },
    },
    { annotations: { [PROVISIONED_BY]: SHARED_PROVISIONER, [VOLUME_MANAGER]: manager } },
  );

beforeAll(async () => {
  installation = await install();
  const { client: admin } = installation.server;
  const { group, rules } = NODES_IDENTITY;
  await admin.of(ClusterRole).create({ metadata: { name: group }, rules: [...rules] });
  await admin.of(ClusterRoleBinding).create({
    metadata: { name: group },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: group },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: group }],
  });
  await admin.of(Namespace).create({ metadata: { name: namespace } });
  await admin.of(Node).create({ metadata: { name: 'a' } });
  const waiting = {
    provisioner: LOCAL_PROVISIONER,
    volumeBindingMode: 'WaitForFirstConsumer',
    allowVolumeExpansion: true,
  };
  const inDirectory = { provisioner: SHARED_PROVISIONER, parameters: { directory: '/srv/shared' } };
  await admin.of(StorageClass).create({ metadata: { name: 'shared' }, ...waiting, ...inDirectory });
  for (const name of ['fast', 'slow']) await admin.of(StorageClass).create({ metadata: { name }, ...waiting });
  const system = clientOf('system:serviceaccount:kubevirt:kubevirt-controller', ['system:masters']);
  const vmis = {
    mine: { nodeName: 'a', activePods: { p: 'a' } },
    theirs: { nodeName: 'b' },
    coming: { nodeName: 'b', migrationState: { migrationUid: 'u', sourceNode: 'b', targetNode: 'a' } },
    arriving: { nodeName: 'b', migrationState: { migrationUid: 'u', sourceNode: 'b', targetNode: 'a' } },
    leaving: { nodeName: 'a', migrationState: { targetNode: 'b' } },
    stayed: { nodeName: 'b', migrationState: { targetNode: 'a', failed: true, endTimestamp: '2026-01-01T00:00:00Z' } },
    new: {},
  };
  for (const [name, status] of Object.entries(vmis)) {
    const spec = { domain: { devices: {}, memory: { guest: '64Mi' } } };
    await system.of(VirtualMachineInstance).create({ metadata: { name, namespace }, spec, status });
  }
  const claims = {
    mine: 'a',
    theirs: 'b',
    chosen: 'a',
    taken: 'a',
    elsewhere: 'b',
    nobodys: undefined,
    common: 'a',
    'common-b': 'b',
  };
  for (const [name, on] of Object.entries(claims)) {
    const volumeName = name === 'taken' ? 'another' : undefined;
    const made = await admin.of(PersistentVolumeClaim).create({
      metadata: { name, namespace, ...(on && { annotations: { [SELECTED_NODE]: on } }) },
      spec: {
        accessModes: ['ReadWriteOnce'],
        storageClassName: name.startsWith('common') ? 'shared' : 'fast',
        resources: { requests: { storage: '1Gi' } },
        volumeName,
      },
    });
    uids[name] = made.metadata.uid;
    if (!['mine', 'theirs', 'common-b'].includes(name)) continue;
    const spec = { volumeName: `pvc-${made.metadata.uid}` };
    await admin.of(PersistentVolumeClaim).patch(name, { spec }, { namespace, type: 'merge' });
    await admin.of(PersistentVolume).create(name === 'common-b' ? shared(name, 'b') : volume(name, on ?? ''));
  }
  for (const [name, on] of Object.entries({ mine: 'a', theirs: 'b' }))
    await admin.of(VolumeSnapshotContent).create({
      metadata: { name, labels: { [MANAGED_BY]: on }, finalizers: [CONTENT_PROTECTION] },
      spec: {
        deletionPolicy: 'Delete',
        driver: LOCAL_PROVISIONER,
        source: { volumeHandle: 'x' },
        volumeSnapshotRef: { namespace, name },
      },
    });
  node = clientOf(nodeUser('a'), [NODE_GROUP]);
});
afterAll(() => installation?.close());

const vmi = (name: string, body: object) => () => node.of(VirtualMachineInstance).patch(name, body, at);
const claim = (name: string, body: object) => () => node.of(PersistentVolumeClaim).patch(name, body, at);
const claimStatus = (name: string, status: object) => () =>
  node.of(PersistentVolumeClaim).patch(name, { status }, { ...at, subresource: 'status' });
const annotated = (annotations: object) => ({ metadata: { annotations } });
const changed = (name: string, body: object) => () =>
  node.of(PersistentVolume).patch(`pvc-${uids[name]}`, body, everywhere);
const created = (make: () => ReturnType<typeof volume>) => () =>
  node.of(PersistentVolume).create(make(), { dryRun: true });
const content = (name: string, body: object, subresource?: string) => () =>
  node.of(VolumeSnapshotContent).patch(name, body, { ...everywhere, ...(subresource && { subresource }) });

/** `policy`: what the policy says of it, where that is another matter. It sees no other objects. */
type Case = [title: string, write: () => Promise<unknown>, expected: 'allowed' | RegExp, policy?: RegExp | 'allowed'];

const CASES: Case[] = [
  ['reports its VMI', vmi('mine', { status: { phase: 'Running' } }), 'allowed'],
  ['reports a VMI that comes to it', vmi('coming', { status: { migrationState: { completed: true } } }), 'allowed'],
  [
    'says how far a VMI is that leaves it',
    vmi('leaving', annotated({ 'vireo.io/migration-progress': '{}' })),
    'allowed',
  ],
  [
    'annotates no VMI otherwise',
    vmi('leaving', annotated({ 'harvesterhci.io/migrationState': 'Migrating' })),
    /metadata\.annotations\[harvesterhci\.io\/migrationState\]/,
    /such annotations/,
  ],
  [
    'takes over a VMI that comes to it, with the label',
    vmi('arriving', {
      metadata: { labels: { [NODE_NAME_LABEL]: 'a' } },
      status: { nodeName: 'a', migrationState: { endTimestamp: '2026-01-01T00:00:00Z' } },
    }),
    'allowed',
  ],
  [
    'labels no VMI that has not come',
    vmi('coming', { metadata: { labels: { [NODE_NAME_LABEL]: 'a' } } }),
    /metadata\.labels/,
    /labels/,
  ],
  [
    'gives a migration no other source',
    vmi('coming', { status: { migrationState: { sourceNode: 'a' } } }),
    /status\.migrationState\.sourceNode/,
    /migrationState\.sourceNode/,
  ],
  [
    'makes a migration no other',
    vmi('coming', { status: { migrationState: { migrationUid: 'v' } } }),
    /status\.migrationState\.migrationUid/,
    /migrationState\.migrationUid/,
  ],
  ['hands over a VMI that leaves it', vmi('leaving', { status: { nodeName: 'b' } }), 'allowed'],
  [
    'reports no VMI of another',
    vmi('theirs', { status: { phase: 'Failed' } }),
    /it runs on node "b"/,
    /neither runs on this node nor moves there/,
  ],
  ['reports no VMI that did not come', vmi('stayed', { status: { phase: 'Failed' } }), /on node "b"/, /neither runs/],
  ['reports no VMI that is on no node', vmi('new', { status: { nodeName: 'a' } }), /not handed over/, /neither runs/],
  ['moves no VMI', vmi('mine', { status: { nodeName: 'b' } }), /status\.nodeName/, /where a VMI runs/],
  [
    'sends no VMI elsewhere',
    vmi('mine', { status: { migrationState: { targetNode: 'c' } } }),
    /status\.migrationState\.targetNode/,
    /where a VMI moves/,
  ],
  ['changes no pods of a VMI', vmi('mine', { status: { activePods: { p: 'b' } } }), /status\.activePods/],
  [
    'gives its VMI no Secret',
    vmi('mine', { spec: { volumes: [{ name: 's', secret: { secretName: 'other' } }] } }),
    /change spec\.volumes/,
    /change the spec of a VMI/,
  ],
  ['labels no VMI', vmi('mine', { metadata: { labels: { a: 'b' } } }), /metadata\.labels/, /labels/],
  ['releases no VMI', vmi('mine', { metadata: { finalizers: ['a.b/c'] } }), /metadata\.finalizers/, /finalizers/],

  ['reports on its claim', claim('mine', annotated({ [POD_PHASE]: 'Running' })), 'allowed'],
  ['reports on a claim that it is to make', claim('chosen', annotated({ [POD_PHASE]: 'Running' })), 'allowed'],
  ['grows its claim', claimStatus('mine', { capacity: { storage: '2Gi' } }), 'allowed'],
  [
    'reports on no claim of another',
    claim('theirs', annotated({ [POD_PHASE]: 'Succeeded' })),
    /its volume is not on this node/,
    'allowed',
  ],
  ['reports on no claim for another', claim('elsewhere', annotated({ [POD_PHASE]: 'x' })), /not chosen/],
  ['chooses itself for no claim', claim('nobodys', annotated({ [SELECTED_NODE]: 'a' })), /not chosen/],
  [
    'names no Secret for an import',
    claim('mine', annotated({ [IMPORT_SECRET]: 'other' })),
    /change metadata\.annotations\[cdi\.kubevirt\.io\/storage\.import\.secretName\]/,
    /such annotations/,
  ],
  [
    'asks for no more space',
    claim('mine', { spec: { resources: { requests: { storage: '9Gi' } } } }),
    /change spec\.resources/,
    /the spec of a claim/,
  ],
  ['binds no claim', claimStatus('mine', { phase: 'Lost' }), /change status\.phase/, /only capacity and conditions/],

  ['makes the volume of a claim', created(() => volume('chosen', 'a')), 'allowed'],
  ['makes none on another node', created(() => volume('chosen', 'b')), /of their own only/, /not on this node/],
  [
    'makes none for two nodes',
    created(() => volume('chosen', 'a', { nodeAffinity: tiedTo('a', 'b') })),
    /of their own only/,
    /not on this node/,
  ],
  [
    'makes none that names a Secret',
    created(() => {
      const secret = { name: 'other', namespace: 'kube-system' };
      const csi = { driver: 'd', volumeHandle: 'h', nodePublishSecretRef: secret };
      return volume('chosen', 'a', { local: undefined, csi });
    }),
    /of their own only/,
    /not on this node/,
  ],
  ['makes none for the claim of another', created(() => volume('elsewhere', 'a')), /not chosen/, 'allowed'],
  ['makes none for a claim that has one', created(() => volume('taken', 'a')), /its claim has a volume/, 'allowed'],
  [
    'makes none under another name',
    created(() => volume('chosen', 'a', {}, { name: 'x' })),
    /its name/,
    /local volumes, for claims/,
  ],
  [
    'makes none of another class',
    created(() => volume('chosen', 'a', { storageClassName: 'slow' })),
    /class/,
    'allowed',
  ],
  ['grows its volume', changed('mine', { spec: { capacity: { storage: '2Gi' } } }), 'allowed'],
  ['releases its volume', changed('mine', { metadata: { finalizers: [VOLUME_PROTECTION] } }), 'allowed'],
  [
    'unprotects no volume',
    changed('mine', { metadata: { finalizers: [PROVISIONER_FINALIZER] } }),
    /metadata\.finalizers/,
    /finalizers/,
  ],
  ['removes its volume', () => node.of(PersistentVolume).delete(`pvc-${uids.mine}`, { dryRun: true }), 'allowed'],
  ['grows no other volume', changed('theirs', { spec: { capacity: { storage: '2Gi' } } }), /not on this node/],
  ['releases no other volume', changed('theirs', { metadata: { finalizers: [] } }), /not on this node/],
  [
    'removes no other volume',
    () => node.of(PersistentVolume).delete(`pvc-${uids.theirs}`, { dryRun: true }),
    /not on this node/,
  ],
  [
    'gives its volume to nobody else',
    changed('mine', { spec: { claimRef: { uid: 'x' } } }),
    /change spec\.claimRef/,
    /only the capacity/,
  ],
  [
    'keeps no volume',
    changed('mine', { spec: { persistentVolumeReclaimPolicy: 'Retain' } }),
    /change spec\.persistentVolumeReclaimPolicy/,
    /only the capacity/,
  ],

  ['makes one in a shared directory', created(() => shared('common', 'a')), 'allowed'],
  [
    'makes none there for another node to deal with',
    created(() => shared('common', 'b')),
    /of their own only/,
    /not on this node/,
  ],
  [
    'makes none elsewhere that other nodes would open',
    created(() => shared('common', 'a', `/etc/pvc-${uids.common}`)),
    /not in the directory of its class/,
    'allowed',
  ],
  [
    'makes none that leads out of that directory',
    created(() => shared('common', 'a', `/srv/shared/../../etc/pvc-${uids.common}`)),
    /not in the directory of its class/,
    'allowed',
  ],
  ['grows none there of another', changed('common-b', { spec: { capacity: { storage: '2Gi' } } }), /not on this node/],
  [
    'takes none there from another',
    changed('common-b', { metadata: { annotations: { [VOLUME_MANAGER]: 'a' } } }),
    /not on this node/,
  ],
  [
    'reports on no claim of another there',
    claim('common-b', annotated({ [POD_PHASE]: 'x' })),
    /its volume is not on this node/,
    'allowed',
  ],
  ['reports on its snapshot', content('mine', { status: { readyToUse: true } }, 'status'), 'allowed'],
  ['releases its snapshot', content('mine', { metadata: { finalizers: [] } }), 'allowed'],
  ['reports on no other', content('theirs', { status: { readyToUse: true } }, 'status'), /not on this node/],
  ['releases no other', content('theirs', { metadata: { finalizers: [] } }), /not on this node/],
  [
    'takes no snapshot of another',
    content('mine', { metadata: { labels: { [MANAGED_BY]: 'b' } } }),
    /metadata\.labels/,
    /labels/,
  ],
];

async function outcome(write: () => Promise<unknown>): Promise<string> {
  return write().then(
    () => 'allowed',
    (error: Error & { status?: { code?: number } }) => `${error.status?.code} ${error.message}`,
  );
}

const expectOutcome = async (write: () => Promise<unknown>, expected: 'allowed' | RegExp): Promise<void> => {
  const found = await outcome(write);
  if (expected === 'allowed') expect(found).toBe('allowed');
  else expect(found).toMatch(new RegExp(`^403 .*${expected.source}`));
};

describe('by webhook and policy, a node', () => {
  it.each(CASES)('%s', async (_, write, expected) => {
    const found = await outcome(write);
    expect(found.startsWith('403') ? 'refused' : found).toBe(expected === 'allowed' ? 'allowed' : 'refused');
  });
});

describe('by policy alone, a node', () => {
  let webhooks: ValidatingWebhookConfiguration['webhooks'];
  const configurations = () => installation.server.client.of(ValidatingWebhookConfiguration);
  beforeAll(async () => {
    ({ webhooks } = await configurations().get('virt-api-validator'));
    const rest = webhooks?.filter(({ name }) => name !== 'node-limits.vireo.dev');
    await configurations().patch('virt-api-validator', { webhooks: rest }, { type: 'merge' });
  });
  afterAll(async () => void (await configurations().patch('virt-api-validator', { webhooks }, { type: 'merge' })));

  it.each(CASES)('%s', async (_, write, expected, policy = expected) => {
    await expectOutcome(write, policy);
  });

  it('of no known name reports on no claim that waits for a node', async () => {
    const unknown = clientOf('somebody', [NODE_GROUP]);
    const report = annotated({ [POD_PHASE]: 'x' });
    await expectOutcome(
      () => unknown.of(PersistentVolumeClaim).patch('nobodys', report, at),
      /not chosen for the claim/,
    );
  });
});

describe('by webhook alone, a node', () => {
  beforeAll(async () => {
    const { client } = installation.server;
    for (const kind of [ValidatingAdmissionPolicyBinding, ValidatingAdmissionPolicy])
      for (const { metadata } of (await client.of<ValidatingAdmissionPolicy>(kind as never).list()).items)
        await client.of<ValidatingAdmissionPolicy>(kind as never).delete(metadata.name);
  });
  it.each(CASES)('%s', async (_, write, expected) => expectOutcome(write, expected));

  it('of no known name writes nothing', async () => {
    const unknown = clientOf('somebody', [NODE_GROUP]);
    const status = { phase: 'Running' };
    await expect(unknown.of(VirtualMachineInstance).patch('mine', { status }, at)).rejects.toThrow(
      'could not determine node from user "somebody"',
    );
  });

  it('that was deleted writes nothing', async () => {
    const nodes = installation.server.client.of(Node);
    await nodes.delete('a');
    await expectOutcome(vmi('mine', { status: { phase: 'Running' } }), /node "a" was deleted/);
    await nodes.create({ metadata: { name: 'a' } });
    await expectOutcome(vmi('mine', { status: { phase: 'Running' } }), 'allowed');
  });
});

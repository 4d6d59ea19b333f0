import {
  ClusterRoleBinding,
  ConfigMap,
  Lease,
  Namespace,
  Node,
  type Persisted,
  PersistentVolumeClaim,
  Pod,
  Secret,
  ServiceAccount,
} from '@vireo/api';
import { VirtualMachineInstance } from '@vireo/api/kinds/kubevirt/virtualMachineInstance.ts';
import type { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { install } from '@vireo/controllers';
import { launcherPod } from '@vireo/controllers/vmi/launcherPod.ts';
import { nodePolicies } from '@vireo/extension/install/nodePolicies.ts';
import { clusterConfig } from '@vireo/hypervisor';
import type { Client } from '@vireo/kube';
import { afterAll, beforeAll, expect, test, vi } from 'vitest';
import { objectReaders } from './disks/objectReaders.ts';
import { NODES_IDENTITY } from './identity.ts';
import { nodeClients } from './testing/nodeClients.ts';

const namespace = 'shop';
const at = { namespace };
const merge = { type: 'merge' } as const;
const LEASES = { namespace: 'kube-node-lease' };

let server: TestServer;
/** Node a, as both of its users. */
let client: Client;
let kubelet: Client;
const launchers: Record<string, Persisted<Pod>> = {};

const volumes: Vmi['spec']['volumes'] = [
  { name: 'ci', cloudInitNoCloud: { secretRef: { name: 'user-data' } } },
  { name: 'settings', configMap: { name: 'settings' } },
  { name: 'account', serviceAccount: { serviceAccountName: 'robot' } },
];

/** Two nodes, each with one guest; only that of a has volumes. One Secret is in no guest's use. */
beforeAll(async () => {
  server = await startTestServer();
  const { client: admin } = server;
  await install(admin, { useEmulation: true, identities: [NODES_IDENTITY], objects: nodePolicies() });
  await admin.of(Namespace).create({ metadata: { name: namespace } });
  for (const name of ['user-data', 'unused', 'of-b']) await admin.of(Secret).create({ metadata: { name, namespace } });
  for (const name of ['settings', 'other']) await admin.of(ConfigMap).create({ metadata: { name, namespace } });
  for (const name of ['robot', 'other']) await admin.of(ServiceAccount).create({ metadata: { name, namespace } });
  await admin.of(Node).create({ metadata: { name: 'b' } });
  await admin.of(Lease).create({ metadata: { name: 'b', ...LEASES }, spec: { holderIdentity: 'b' } });
  const spec = { domain: { devices: {}, machine: { type: 'q35' }, memory: { guest: '64Mi' } } };
  for (const [name, own] of Object.entries({
    a: volumes,
    b: [{ name: 'x', secret: { secretName: 'of-b' } }],
  })) {
    const metadata = { name: `guest-${name}`, namespace };
    const vmi = (await admin.of(VirtualMachineInstance).create({ metadata, spec: { ...spec, volumes: own } })) as Vmi;
    const { spec: pod, ...rest } = launcherPod(vmi, clusterConfig(undefined));
    const bound = { ...rest, spec: { ...pod, nodeName: name, containers: pod?.containers ?? [] } };
    launchers[name] = await admin.of(Pod).create(bound);
    await admin.of(VirtualMachineInstance).patch(metadata.name, { status: { nodeName: name } }, { ...at, ...merge });
  }
  await admin.of(PersistentVolumeClaim).create({
    metadata: { name: 'disk', namespace },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Mi' } } },
  });
  ({ client, kubelet } = nodeClients(server, 'a'));
});
afterAll(() => server?.close());

const nameOf = (node: string): string => launchers[node]?.metadata.name ?? '';
const outcome = (call: Promise<unknown>): Promise<string> =>
  call.then(
    () => 'allowed',
    (error: Error & { status?: { code?: number } }) => (error.status?.code === 403 ? 'forbidden' : error.message),
  );

const token = (account: string, pod: string) =>
  kubelet.call({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`,
    body: { spec: { boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod, uid: launchers.a?.metadata.uid } } },
  });

type Case = [title: string, call: () => Promise<unknown>, expected: 'allowed' | 'forbidden'];

test.each<Case>([
  ['creates its Node', () => kubelet.of(Node).create({ metadata: { name: 'a' } }), 'allowed'],
  [
    'labels it',
    () => kubelet.of(Node).patch('a', { metadata: { labels: { 'kubevirt.io/x': 'y' } } }, merge),
    'allowed',
  ],
  ['holds its Lease', () => kubelet.of(Lease).create({ metadata: { name: 'a', ...LEASES }, spec: {} }), 'allowed'],
  ['watches its pods', () => kubelet.of(Pod).list({ fieldSelector: 'spec.nodeName=a' }), 'allowed'],
  [
    'reports its launcher',
    () => kubelet.of(Pod).patchStatus(nameOf('a'), { status: { phase: 'Running' } }, { ...at, ...merge }),
    'allowed',
  ],
  ['reads the Secret of its guest', () => kubelet.of(Secret).get('user-data', at), 'allowed'],
  ['reads the ConfigMap of its guest', () => kubelet.of(ConfigMap).get('settings', at), 'allowed'],
  ['gets a token for its guest', () => token('robot', nameOf('a')), 'allowed'],
  ['watches VMIs', () => client.of(VirtualMachineInstance).list(), 'allowed'],
  [
    'reports its guest',
    () => client.of(VirtualMachineInstance).patch('guest-a', { status: { phase: 'Running' } }, { ...at, ...merge }),
    'allowed',
  ],

  ['reads no Secret that no guest uses', () => kubelet.of(Secret).get('unused', at), 'forbidden'],
  ["reads no Secret of another's guest", () => kubelet.of(Secret).get('of-b', at), 'forbidden'],
  ['lists no Secrets', () => kubelet.of(Secret).list(at), 'forbidden'],
  ['reads no other ConfigMap', () => kubelet.of(ConfigMap).get('other', at), 'forbidden'],
  ['gets no token for another account', () => token('other', nameOf('a')), 'forbidden'],
  ['writes no other Node', () => kubelet.of(Node).patch('b', { metadata: { labels: { x: 'y' } } }, merge), 'forbidden'],
  ['renews no other Lease', () => kubelet.of(Lease).patch('b', { spec: {} }, { ...LEASES, ...merge }), 'forbidden'],
  ['watches no other pods', () => kubelet.of(Pod).list(), 'forbidden'],
  [
    'reports no other pod',
    () => kubelet.of(Pod).patchStatus(nameOf('b'), { status: { phase: 'Failed' } }, { ...at, ...merge }),
    'forbidden',
  ],
  ['ends no other pod', () => kubelet.of(Pod).delete(nameOf('b'), { ...at, gracePeriodSeconds: 0 }), 'forbidden'],
  [
    'reports no other guest',
    () => client.of(VirtualMachineInstance).patch('guest-b', { status: { phase: 'Failed' } }, { ...at, ...merge }),
    'forbidden',
  ],
  ['deletes no guest', () => client.of(VirtualMachineInstance).delete('guest-a', at), 'forbidden'],
  [
    'reports on no claim of others',
    () =>
      client.of(PersistentVolumeClaim).patch('disk', { metadata: { annotations: { a: 'b' } } }, { ...at, ...merge }),
    'forbidden',
  ],
  ['reads Secrets as its kubelet alone', () => client.of(Secret).get('user-data', at), 'forbidden'],
  ['reads all pods and Nodes, for the rules of its network', () => client.of(Pod).list(), 'allowed'],
  [
    'reports pods as its kubelet alone',
    () => client.of(Pod).patchStatus(nameOf('a'), { status: { phase: 'Failed' } }, { ...at, ...merge }),
    'forbidden',
  ],
  [
    'writes its Node as its kubelet alone',
    () => client.of(Node).patch('a', { metadata: { labels: { x: 'y' } } }, merge),
    'forbidden',
  ],
  ['writes no VMI as its kubelet', () => kubelet.of(VirtualMachineInstance).get('guest-a', at), 'forbidden'],
  ['gives itself no rights', () => client.of(ClusterRoleBinding).list(), 'forbidden'],
])('a node %s', async (_, call, expected) => {
  expect(await outcome(call())).toBe(expected);
});

test('what a launcher names is all that the disks of its VMI are made of', async () => {
  const vmi = (await server.client.of(VirtualMachineInstance).get('guest-a', at)) as Vmi;
  const readers = objectReaders(kubelet, vmi, launchers.a);
  await readers.readSecret('user-data');
  await readers.readConfigMap('settings');
  const files = await vi.waitFor(() => readers.readServiceAccount('robot'));
  expect(Object.keys(files)).toContain('token');
});

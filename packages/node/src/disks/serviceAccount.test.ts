import { Namespace, Pod, ServiceAccount, TokenReview } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { nodeClients } from '../testing/nodeClients.ts';
import { serviceAccountReader } from './serviceAccount.ts';

const namespace = 'shop';
let server: TestServer;
let launcher: Pod;
let read: ReturnType<typeof serviceAccountReader>;

beforeAll(async () => {
  server = await startTestServer();
  const admin = server.client;
  await admin.of(Namespace).create({ metadata: { name: namespace } });
  for (const name of ['robot', 'other']) await admin.of(ServiceAccount).create({ metadata: { name, namespace } });
  launcher = await admin.of(Pod).create({
    metadata: { name: 'launcher', namespace },
    spec: {
      nodeName: 'node-1',
      serviceAccountName: 'robot',
      automountServiceAccountToken: false,
      containers: [{ name: 'compute', image: 'launcher' }],
      volumes: [{ name: 'objects', projected: { sources: [{ configMap: { name: 'kube-root-ca.crt' } }] } }],
    },
  });
  // With the rights of the node, and no more.
  read = serviceAccountReader(nodeClients(server, 'node-1').kubelet, launcher);
});
afterAll(() => server?.close());

const userOf = async (token: string): Promise<string | undefined> => {
  const review = await server.client.of(TokenReview).create({ metadata: {}, spec: { token } });
  return review.status?.user?.username;
};

it('is what a pod would find: a token, its namespace, and whom to trust', async () => {
  const files = await vi.waitFor(() => read('robot'));
  expect(Object.keys(files).sort()).toEqual(['ca.crt', 'namespace', 'token']);
  expect(String(files.namespace)).toBe(namespace);
  expect(String(files['ca.crt'])).toContain('BEGIN CERTIFICATE');
  expect(await userOf(String(files.token))).toBe('system:serviceaccount:shop:robot');
});

it('a VMI gets no token of another service account', async () => {
  const others = ['other', 'missing', '../../secrets/x'];
  for (const result of await Promise.allSettled(others.map(read)))
    expect(String(result.status === 'rejected' && result.reason)).toContain(
      "no relationship found between node 'node-1' and this object",
    );
});

it('ends with the launcher', async () => {
  const token = String((await read('robot')).token);
  await server.client.of(Pod).delete('launcher', { namespace, gracePeriodSeconds: 0 });
  expect(await userOf(token)).toBeUndefined();
});

import { Namespace, Pod, ServiceAccount, TokenReview } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { install } from '@vireo/controllers';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, expect, it, vi } from 'vitest';
import { IDENTITY, USER } from '../identity.ts';
import { serviceAccountReader } from './serviceAccount.ts';

const namespace = 'shop';
let server: TestServer;
let launcher: Pod;
let read: ReturnType<typeof serviceAccountReader>;

beforeAll(async () => {
  server = await startTestServer();
  const admin = server.client;
  await install(admin, { useEmulation: true, identities: [IDENTITY] });
  await admin.of(Namespace).create({ metadata: { name: namespace } });
  for (const name of ['robot', 'other']) await admin.of(ServiceAccount).create({ metadata: { name, namespace } });
  launcher = await admin.of(Pod).create({
    metadata: { name: 'launcher', namespace },
    spec: { serviceAccountName: 'robot', containers: [{ name: 'compute', image: 'launcher' }] },
  });
  // With the rights of the node, and no more.
  const groups = ['system:serviceaccounts', 'system:serviceaccounts:kubevirt', 'system:authenticated'];
  read = serviceAccountReader(new Client(server.inProcess({ username: USER, groups })), launcher);
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

it.each([
  ['other', /different serviceaccount name/],
  ['missing', /"missing" not found/],
  ['../../secrets/x', /not found/],
])('of %s there is none for this VMI', async (name, message) => {
  await expect(read(name)).rejects.toThrow(message);
});

it('ends with the launcher', async () => {
  const token = String((await read('robot')).token);
  await server.client.of(Pod).delete('launcher', { namespace, gracePeriodSeconds: 0 });
  expect(await userOf(token)).toBeUndefined();
});

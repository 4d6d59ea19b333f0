import { ServiceAccount } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { accountCredentials } from './accountToken.ts';

let server: TestServer;
const account = { namespace: 'default', name: 'worker' };

beforeAll(async () => {
  server = await startTestServer();
  await server.client.of(ServiceAccount).create({ metadata: account });
});
afterAll(() => server.close());

const whoIs = async (token: string | undefined): Promise<unknown> => {
  const transport = await server.overHttp({ token: token ?? '' });
  const path = '/apis/authentication.k8s.io/v1/selfsubjectreviews';
  const { body } = await transport.call({ method: 'POST', path, body: {} });
  return (body as { status: { userInfo: { username: string } } }).status.userInfo.username;
};

it('an administrator gets tokens of the account, and new ones in time', async () => {
  let nowMs = Date.now();
  const credentials = await accountCredentials(server.client, account, () => nowMs);
  const first = await credentials?.get();
  expect(await whoIs(first?.token)).toBe('system:serviceaccount:default:worker');
  expect(await credentials?.get()).toEqual(first);
  nowMs += 50 * 60_000;
  // Two tokens of the same second could be the same.
  const renewed = async (): Promise<string | undefined> => {
    credentials?.reject();
    return (await credentials?.get())?.token;
  };
  await expect.poll(renewed).not.toBe(first?.token);
});

it('whoever cannot create tokens keeps his own credentials', async () => {
  const anybody = new Client(server.inProcess({ username: 'jane', groups: ['system:authenticated'] }));
  expect(await accountCredentials(anybody, account)).toBeUndefined();
});

it('an account that does not exist is an error', async () => {
  const missing = accountCredentials(server.client, { ...account, name: 'nobody' });
  await expect(missing).rejects.toMatchObject({ code: 404 });
});

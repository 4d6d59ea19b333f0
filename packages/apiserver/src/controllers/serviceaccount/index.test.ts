import { Namespace, Secret, ServiceAccount } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import {
  SERVICE_ACCOUNT_TOKEN_USER,
  SERVICE_ACCOUNT_USER,
  startServiceAccountController,
  startTokenController,
} from './index.ts';

let test: TestServer;
const accounts = () => test.admin.of(ServiceAccount);
const secrets = () => test.admin.of(Secret);
const inDefault = { namespace: 'default' };
const tokenSecret = (account: string) =>
  secrets().create({
    type: 'kubernetes.io/service-account-token',
    metadata: { name: 's', ...inDefault, annotations: { 'kubernetes.io/service-account.name': account } },
  });

beforeEach(async () => {
  test = await startServerInMemory();
  test.start(SERVICE_ACCOUNT_USER, startServiceAccountController);
  test.start(SERVICE_ACCOUNT_TOKEN_USER, (context, signal) =>
    startTokenController(
      { ...context, signLegacyToken: (account, secret) => `${account.metadata.name}:${secret.metadata.name}` },
      signal,
    ),
  );
});
afterEach(() => test.stop());

describe('the service account controllers', () => {
  it('give every namespace its default account, again and again', async () => {
    await test.admin.of(Namespace).create({ metadata: { name: 'n' } });
    const first = await found(() => accounts().get('default', { namespace: 'n' }));
    await accounts().delete('default', { namespace: 'n' });
    await found(async () => (await accounts().get('default', { namespace: 'n' })).metadata.uid !== first.metadata.uid);
  });

  it('fill a token secret', async () => {
    await accounts().create({ metadata: { name: 'robot', ...inDefault } });
    await tokenSecret('robot');
    const { data } = await found(async () => {
      const secret = await secrets().get('s', inDefault);
      return secret.data?.token !== undefined && secret;
    });
    expect(Buffer.from(data?.token ?? '', 'base64').toString()).toBe('robot:s');
    expect(Buffer.from(data?.['ca.crt'] ?? '', 'base64').toString()).toContain('BEGIN CERTIFICATE');
  });

  it('remove a token secret with its account, and one without', async () => {
    await accounts().create({ metadata: { name: 'robot', ...inDefault } });
    await tokenSecret('robot');
    await found(async () => (await secrets().get('s', inDefault)).data?.token !== undefined);
    await accounts().delete('robot', inDefault);
    await gone(() => secrets().get('s', inDefault));
    await tokenSecret('nobody');
    await gone(() => secrets().get('s', inDefault));
  });
});

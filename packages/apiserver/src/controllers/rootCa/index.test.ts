import { ConfigMap, Namespace } from '@vireo/api';
import { afterEach, beforeEach, describe, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { ROOT_CA_USER, startRootCaController } from './index.ts';
import { ROOT_CA_NAME } from './reconcile.ts';

let test: TestServer;
beforeEach(async () => {
  test = await startServerInMemory();
  test.start(ROOT_CA_USER, startRootCaController);
});
afterEach(() => test.stop());

describe('the root CA controller', () => {
  const isRight = async () =>
    (await test.admin.of(ConfigMap).get(ROOT_CA_NAME, { namespace: 'n' })).data?.['ca.crt']?.includes(
      'BEGIN CERTIFICATE',
    );

  it('publishes the authority in every namespace and mends what others did to it', async () => {
    await test.admin.of(Namespace).create({ metadata: { name: 'n' } });
    await found(isRight);
    const maps = test.admin.of(ConfigMap);
    await maps.patch(ROOT_CA_NAME, { data: { 'ca.crt': 'forged', more: 'x' } }, { namespace: 'n', type: 'merge' });
    await found(isRight);
    await maps.delete(ROOT_CA_NAME, { namespace: 'n' });
    await found(isRight);
  });
});

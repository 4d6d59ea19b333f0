import { ConfigMap, Namespace } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { NAMESPACE_USER, startNamespaceController } from './index.ts';

let test: TestServer;
const namespaces = () => test.admin.of(Namespace);
const maps = () => test.admin.of(ConfigMap);

beforeEach(async () => {
  test = await startServerInMemory();
  test.start(NAMESPACE_USER, startNamespaceController);
  await namespaces().create({ metadata: { name: 'n' } });
});
afterEach(() => test.stop());

describe('the namespace controller', () => {
  it('takes everything in the namespace along', async () => {
    await maps().create({ metadata: { name: 'm', namespace: 'n' } });
    await namespaces().delete('n');
    await gone(() => namespaces().get('n'));
    await expect(maps().get('m', { namespace: 'n' })).rejects.toThrow('not found');
  });

  it('says what holds the namespace up, and goes on when that has gone', async () => {
    await maps().create({ metadata: { name: 'm', namespace: 'n', finalizers: ['example.com/hold'] } });
    await namespaces().delete('n');
    const conditions = await found(async () => {
      const { status } = await namespaces().get('n');
      return status?.conditions;
    });
    expect(conditions.find(({ type }) => type === 'NamespaceFinalizersRemaining')).toMatchObject({
      status: 'True',
      message: 'Some content in the namespace has finalizers remaining: example.com/hold in 1 resource instances',
    });
    await maps().patch('m', { metadata: { finalizers: null } }, { namespace: 'n', type: 'merge' });
    await gone(() => namespaces().get('n'));
  });

  it('leaves living namespaces alone', async () => {
    await maps().create({ metadata: { name: 'm', namespace: 'default' } });
    await namespaces().delete('n');
    await gone(() => namespaces().get('n'));
    expect((await maps().get('m', { namespace: 'default' })).metadata.name).toBe('m');
  });
});

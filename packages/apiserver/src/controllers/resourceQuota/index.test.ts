import { ConfigMap, ResourceQuota } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { RESOURCE_QUOTA_USER, startResourceQuotaController } from './index.ts';

let test: TestServer;
const inDefault = { namespace: 'default' };
const maps = () => test.admin.of(ConfigMap);
const used = async () => (await test.admin.of(ResourceQuota).get('q', inDefault)).status?.used?.configmaps;
const limitTo = (configmaps: string) =>
  test.admin
    .of(ResourceQuota)
    .create({ metadata: { name: 'q', ...inDefault }, spec: { hard: { configmaps, secrets: '5' } } });

beforeEach(async () => {
  test = await startServerInMemory();
  test.start(RESOURCE_QUOTA_USER, startResourceQuotaController);
});
afterEach(() => test.stop());

describe('the quota controller', () => {
  it('shows what is used as objects come and go', async () => {
    await maps().create({ metadata: { name: 'before', ...inDefault } });
    await limitTo('10');
    await found(async () => (await used()) === '1');
    await maps().create({ metadata: { name: 'after', ...inDefault } });
    await found(async () => (await used()) === '2');
    await maps().delete('before', inDefault);
    await found(async () => (await used()) === '1');
    const { status } = await test.admin.of(ResourceQuota).get('q', inDefault);
    expect(status).toEqual({ hard: { configmaps: '10', secrets: '5' }, used: { configmaps: '1', secrets: '0' } });
  });
});

describe('quota admission on the real server', () => {
  it('lets exactly as many through as there is room for, however many ask at once', async () => {
    await limitTo('5');
    const asked = Array.from({ length: 20 }, (_, index) =>
      maps().create({ metadata: { name: `m${index}`, ...inDefault } }),
    );
    const settled = await Promise.allSettled(asked);
    expect(settled.filter(({ status }) => status === 'fulfilled')).toHaveLength(5);
    const refused = settled.flatMap((each) => (each.status === 'rejected' ? [String(each.reason.message)] : []));
    expect(refused[0]).toMatch(
      /^configmaps "m\d+" is forbidden: exceeded quota: q, requested: configmaps=1, used: configmaps=5, limited: configmaps=5$/,
    );
    await maps().delete('m0', inDefault);
    await maps().create({ metadata: { name: 'next', ...inDefault } });
  });
});

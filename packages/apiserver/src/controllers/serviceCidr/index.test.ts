import { IPAddress, isConditionTrue, Service, ServiceCIDR } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { SERVICE_CIDR_USER, startServiceCidrController } from './index.ts';

let test: TestServer;
const inDefault = { namespace: 'default' };
const ranges = () => test.admin.of(ServiceCIDR);
const ready = (name: string) => found(async () => isConditionTrue(await ranges().get(name), 'Ready'));

beforeEach(async () => {
  test = await startServerInMemory();
  test.start(SERVICE_CIDR_USER, startServiceCidrController);
});
afterEach(() => test.stop());

describe('the range of Services', () => {
  it('is there from the start and says that it is ready', async () => {
    expect((await ranges().get('kubernetes')).spec?.cidrs).toEqual(['10.96.0.0/16']);
    await ready('kubernetes');
    const address = await found(() => test.admin.of(IPAddress).get('10.96.0.1'));
    expect(address.spec?.parentRef).toEqual({
      resource: 'services',
      namespace: 'default',
      name: 'kubernetes',
    });
  });

  it('can have another beside it, which stays as long as a Service has an address of it', async () => {
    await ranges().create({ metadata: { name: 'more' }, spec: { cidrs: ['10.97.0.0/24'] } });
    await ready('more');
    const spec = { clusterIP: '10.97.0.9', ports: [{ port: 80 }] };
    await test.admin.of(Service).create({ metadata: { name: 'web', ...inDefault }, spec });
    await found(() => test.admin.of(IPAddress).get('10.97.0.9'));
    await ranges().delete('more');
    await found(async () => (await ranges().get('more')).status?.conditions?.[0]?.reason === 'Terminating');
    await test.admin.of(Service).delete('web', inDefault);
    await gone(() => ranges().get('more'));
    await gone(() => test.admin.of(IPAddress).get('10.97.0.9'));
  });
});

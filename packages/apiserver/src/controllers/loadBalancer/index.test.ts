import { Event, Node, Service } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { LOAD_BALANCER_USER, startLoadBalancerController } from './index.ts';

let test: TestServer;
const inDefault = { namespace: 'default' };
const services = () => test.admin.of(Service);
const balance = (name: string) =>
  services().create({ metadata: { name, ...inDefault }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } });
const ingress = async (name: string) => (await services().get(name, inDefault)).status?.loadBalancer?.ingress;
const setReady = (status: string) =>
  test.admin.of(Node).patchStatus(
    'n1',
    {
      status: { conditions: [{ type: 'Ready', status }], addresses: [{ type: 'InternalIP', address: '192.0.2.1' }] },
    },
    { type: 'merge' },
  );

beforeEach(async () => {
  test = await startServerInMemory();
  await test.admin.of(Node).create({ metadata: { name: 'n1' } });
  await setReady('True');
  test.start(LOAD_BALANCER_USER, startLoadBalancerController);
});
afterEach(() => test.stop());

describe('a Service of type LoadBalancer', () => {
  it('has the addresses of the nodes that are ready', async () => {
    await balance('web');
    expect(await found(() => ingress('web'))).toEqual([{ ip: '192.0.2.1', ipMode: 'VIP' }]);
    await setReady('False');
    await found(async () => (await ingress('web')) === undefined);
    await setReady('True');
    await found(() => ingress('web'));
  });

  it('waits while another has its port, and says which', async () => {
    await balance('first');
    await found(() => ingress('first'));
    await balance('second');
    const event = await found(async () =>
      (await test.admin.of(Event).list(inDefault)).items.find(({ reason }) => reason === 'SyncLoadBalancerFailed'),
    );
    expect(event).toMatchObject({
      involvedObject: { name: 'second' },
      message: 'Error syncing load balancer: port 80/TCP is taken by the Service default/first',
    });
    expect(await ingress('second')).toBeUndefined();
    await services().patch('first', { spec: { type: 'ClusterIP' } }, { ...inDefault, type: 'merge' });
    await found(() => ingress('second'));
    expect(await ingress('first')).toBeUndefined();
  });
});

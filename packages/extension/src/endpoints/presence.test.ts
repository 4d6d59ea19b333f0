import { EndpointSlice, Lease, Namespace } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, Informers } from '@vireo/kube';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { USER } from '../identity.ts';
import type { Instance } from './objects.ts';
import { Presence } from './presence.ts';

let server: TestServer;
let stop: AbortController;
const at = { namespace: 'kubevirt' };

beforeAll(async () => {
  server = await startTestServer();
  await server.client.of(Namespace).create({ metadata: { name: 'kubevirt' } });
});
afterAll(() => server?.close());
afterEach(() => stop?.abort());

const instance = (name: string, port: number, holder = `${name}-1`): Instance => ({
  name,
  holder,
  address: '10.0.0.7',
  port,
});

async function present(what: Instance): Promise<Presence> {
  stop ??= new AbortController();
  if (stop.signal.aborted) stop = new AbortController();
  const informers = new Informers(server.client);
  const presence = new Presence({ client: server.client, informers, instance: what });
  informers.start(stop.signal);
  await presence.start(stop.signal);
  return presence;
}

const waitFor = (check: () => Promise<void>) => vi.waitFor(check, { timeout: 20_000, interval: 50 });

const slices = () => server.client.of(EndpointSlice);
const leases = () => server.client.of(Lease);
const portOf = async (name: string) => (await slices().find(name, at))?.ports?.[0]?.port;

describe('an instance', () => {
  it('adds itself to the Service and renews its Lease', async () => {
    await present(instance('a', 8443));
    expect(await slices().get('virt-api-a', at)).toMatchObject({
      metadata: { labels: { 'kubernetes.io/service-name': 'virt-api', 'kubevirt.io': 'virt-api' } },
      addressType: 'IPv4',
      endpoints: [{ addresses: ['10.0.0.7'], conditions: { ready: true } }],
      ports: [{ name: 'https', port: 8443 }],
    });
    const { spec } = await leases().get('virt-api-a', at);
    expect(spec).toMatchObject({ holderIdentity: 'a-1', leaseDurationSeconds: 3 });
    await waitFor(async () => expect((await leases().get('virt-api-a', at)).spec?.renewTime).not.toBe(spec?.renewTime));
  });

  it('that was taken for dead comes back', async () => {
    await present(instance('b', 8443));
    await Promise.all([slices().delete('virt-api-b', at), leases().delete('virt-api-b', at)]);
    await waitFor(async () => expect(await portOf('virt-api-b')).toBe(8443));
    await waitFor(async () => expect(await leases().find('virt-api-b', at)).toBeDefined());
  });

  it('takes over from an earlier one of its name, which notices', async () => {
    const first = await present(instance('c', 8443, 'c-1'));
    await present(instance('c', 9443, 'c-2'));
    await first.overtaken;
    await first.withdraw();
    expect(await portOf('virt-api-c')).toBe(9443);
    expect((await leases().get('virt-api-c', at)).spec).toMatchObject({ holderIdentity: 'c-2', leaseTransitions: 1 });
  });

  it('removes its EndpointSlice and Lease when it ends', async () => {
    const presence = await present(instance('d', 8443));
    await presence.withdraw();
    expect(await portOf('virt-api-d')).toBeUndefined();
    stop.abort();
    await presence.end();
    expect(await leases().find('virt-api-d', at)).toBeUndefined();
  });
});

it('an instance that ends leaves the Lease to the one that has taken its name over', async () => {
  const first = await present(instance('e', 8443, 'e-1'));
  stop.abort();
  await present(instance('e', 9443, 'e-2'));
  await first.end();
  expect((await leases().get('virt-api-e', at)).spec?.holderIdentity).toBe('e-2');
});

it('only the extension itself may be on the loopback address of the server', async () => {
  const slice = (name: string) => ({
    metadata: { name, ...at },
    addressType: 'IPv4',
    endpoints: [{ addresses: ['127.0.0.1'] }],
  });
  const refused = new Client(server.inProcess({ username: 'root', groups: ['system:masters'] }));
  await expect(refused.of(EndpointSlice).create(slice('x'))).rejects.toMatchObject({ code: 422 });
  const own = new Client(server.inProcess({ ...USER, groups: [...USER.groups, 'system:masters'] }));
  await expect(own.of(EndpointSlice).create(slice('y'))).resolves.toBeDefined();
});

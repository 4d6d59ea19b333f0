import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EndpointSlice, Endpoints, Service, ServiceCIDR } from '@vireo/api';
import { expect, it } from 'vitest';
import { ensurePki } from '../auth/pki.ts';
import { startServerInMemory } from '../testing/controllers.ts';
import { bootstrap } from './bootstrap.ts';

it('a server that is given another range for Services moves its own; others keep their addresses', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-bootstrap-'));
  const { server, admin, stop } = await startServerInMemory();
  const services = admin.of(Service);
  const inDefault = { namespace: 'default' };
  try {
    const ports = [{ port: 80 }];
    const before = await services.create({ metadata: { name: 'web', ...inDefault }, spec: { ports } });
    const pki = await ensurePki(directory);
    await bootstrap(admin, server.core.lookup, {
      pki,
      serverAddress: '192.0.2.7',
      port: 6443,
      serviceCIDR: '172.30.0.0/16',
    });
    expect((await admin.of(ServiceCIDR).get('kubernetes')).spec?.cidrs).toEqual(['172.30.0.0/16']);
    expect((await services.get('kubernetes', inDefault)).spec?.clusterIP).toBe('172.30.0.1');
    const next = await services.create({ metadata: { name: 'next', ...inDefault }, spec: { ports } });
    expect(next.spec?.clusterIP).toMatch(/^172\.30\./);
    const labelled = await services.patch('web', { metadata: { labels: { a: 'b' } } }, { ...inDefault, type: 'merge' });
    expect(labelled.spec?.clusterIP).toBe(before.spec?.clusterIP);
  } finally {
    await stop();
    await rm(directory, { recursive: true });
  }
});

it('a server with another address or port than last time says so in the endpoints of its Service', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-bootstrap-'));
  const { server, admin, stop } = await startServerInMemory();
  const inDefault = { namespace: 'default' };
  try {
    const pki = await ensurePki(directory);
    const uid = async () => (await admin.of(EndpointSlice).get('kubernetes', inDefault)).metadata.uid;
    const before = await uid();
    await bootstrap(admin, server.core.lookup, { pki, serverAddress: '192.0.2.7', port: 6443 });
    expect(await uid()).toBe(before);
    await bootstrap(admin, server.core.lookup, { pki, serverAddress: '192.0.2.8', port: 7443 });
    const { subsets } = await admin.of(Endpoints).get('kubernetes', inDefault);
    expect(subsets).toMatchObject([{ addresses: [{ ip: '192.0.2.8' }], ports: [{ port: 7443 }] }]);
    const slice = await admin.of(EndpointSlice).get('kubernetes', inDefault);
    expect(slice).toMatchObject({ endpoints: [{ addresses: ['192.0.2.8'] }], ports: [{ port: 7443 }] });
  } finally {
    await stop();
    await rm(directory, { recursive: true });
  }
});

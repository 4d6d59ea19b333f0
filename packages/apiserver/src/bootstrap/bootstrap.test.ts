import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Service, ServiceCIDR } from '@vireo/api';
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
    await bootstrap(admin, server.core.lookup, { pki, port: 6443, serviceCIDR: '172.30.0.0/16' });
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

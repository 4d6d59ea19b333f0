import { EndpointSlice, Endpoints, Service } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { ENDPOINTS_USER, startEndpointsController } from '../endpoints/index.ts';
import { KUBERNETES_SERVICE_USER, startKubernetesServiceController } from './index.ts';

const NAME = 'kubernetes';
const inDefault = { namespace: 'default' };
const kubernetesService = { serverAddress: '192.0.2.7', port: 6443, serviceCIDR: '10.96.0.0/16' };

let test: TestServer;
beforeEach(async () => {
  test = await startServerInMemory();
  test.start(KUBERNETES_SERVICE_USER, (context, signal) =>
    startKubernetesServiceController({ ...context, kubernetesService }, signal),
  );
});
afterEach(() => test.stop());

describe('the Service of the API server', () => {
  it.each([Service, Endpoints, EndpointSlice])('comes back if somebody deletes it: $kind', async (kind) => {
    const resource = test.admin.of<Service | Endpoints | EndpointSlice>(kind);
    const { uid } = (await resource.get(NAME, inDefault)).metadata;
    await resource.delete(NAME, inDefault);
    const again = await found(() => resource.get(NAME, inDefault));
    expect(again.metadata.uid).not.toBe(uid);
    if (kind === Service) expect((again as Service).spec?.clusterIP).toBe('10.96.0.1');
  });

  it('comes back whole where others remove Endpoints without a Service', async () => {
    test.start(ENDPOINTS_USER, startEndpointsController);
    const { uid } = (await test.admin.of(Service).get(NAME, inDefault)).metadata;
    await test.admin.of(Service).delete(NAME, inDefault);
    await found(async () => (await test.admin.of(Service).get(NAME, inDefault)).metadata.uid !== uid);
    await found(async () => (await test.admin.of(Endpoints).get(NAME, inDefault)).subsets?.length === 1);
  });

  it('leads to this server again if somebody has changed where it leads', async () => {
    const { admin } = test;
    const labels = { 'endpointslice.kubernetes.io/skip-mirror': null };
    const endpoints = { metadata: { labels }, subsets: [{ addresses: [{ ip: '192.0.2.66' }] }] };
    await admin.of(Endpoints).patch(NAME, endpoints, { type: 'merge', ...inDefault });
    await admin.of(EndpointSlice).patch(NAME, { endpoints: [], ports: [] }, { type: 'merge', ...inDefault });
    await found(async () => {
      const { subsets, metadata } = await admin.of(Endpoints).get(NAME, inDefault);
      const isMirrored = metadata.labels?.['endpointslice.kubernetes.io/skip-mirror'] !== 'true';
      return subsets?.[0]?.addresses?.[0]?.ip === '192.0.2.7' && !isMirrored;
    });
    const slice = await found(async () => {
      const now = await admin.of(EndpointSlice).get(NAME, inDefault);
      return now.endpoints?.[0]?.addresses[0] === '192.0.2.7' && now;
    });
    expect(slice.ports).toEqual([{ name: 'https', port: 6443, protocol: 'TCP' }]);
  });

  it('is left alone as it is, with what others add to it', async () => {
    const { admin } = test;
    const merge = { type: 'merge', ...inDefault } as const;
    const service = await admin.of(Service).patch(NAME, { metadata: { labels: { mine: 'yes' } } }, merge);
    // When this is put right, the rest has been looked at.
    await admin.of(Endpoints).patch(NAME, { subsets: [] }, merge);
    await found(async () => (await admin.of(Endpoints).get(NAME, inDefault)).subsets?.length === 1);
    const { resourceVersion } = (await admin.of(Service).get(NAME, inDefault)).metadata;
    expect(resourceVersion).toBe(service.metadata.resourceVersion);
  });
});

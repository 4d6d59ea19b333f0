import { EndpointSlice, Endpoints, Node, Pod, Service, ServiceAccount } from '@vireo/api';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { found, gone, startServerInMemory, type TestServer } from '../../testing/controllers.ts';
import { ENDPOINT_SLICE_USER, startEndpointSliceController } from '../endpointSlice/index.ts';
import {
  ENDPOINT_SLICE_MIRRORING_USER,
  startEndpointSliceMirroringController,
} from '../endpointSliceMirroring/index.ts';
import { ENDPOINTS_USER, startEndpointsController } from '../endpoints/index.ts';

let test: TestServer;
const inDefault = { namespace: 'default' };
const ports = [{ port: 80, targetPort: 8080 }];
const slicesOf = async (service: string) =>
  (await test.admin.of(EndpointSlice).list({ ...inDefault, labelSelector: `kubernetes.io/service-name=${service}` }))
    .items;
const addressesOf = (slices: readonly EndpointSlice[]): string[] =>
  slices.flatMap(({ endpoints = [] }) => endpoints.flatMap(({ addresses }) => addresses)).sort();
const createService = (name: string, spec: Service['spec']) =>
  test.admin.of(Service).create({ metadata: { name, ...inDefault, labels: { team: 't' } }, spec: { ports, ...spec } });

async function runningPod(name: string, podIP: string): Promise<void> {
  const pods = test.admin.of(Pod);
  await pods.create({
    metadata: { name, ...inDefault, labels: { app: 'web' } },
    spec: { containers: [{ name: 'c', image: 'i' }], nodeName: 'n1', terminationGracePeriodSeconds: 0 },
  });
  const status = { phase: 'Running', podIP, podIPs: [{ ip: podIP }], conditions: [{ type: 'Ready', status: 'True' }] };
  await pods.patchStatus(name, { status }, { ...inDefault, type: 'merge' });
}

beforeEach(async () => {
  test = await startServerInMemory();
  await test.admin.of(ServiceAccount).create({ metadata: { name: 'default', ...inDefault } });
  await test.admin.of(Node).create({ metadata: { name: 'n1' } });
});
afterEach(() => test.stop());

describe('a Service with a selector', () => {
  it('has slices that follow its pods, one write a change', async () => {
    test.start(ENDPOINT_SLICE_USER, startEndpointSliceController);
    const service = await createService('web', { selector: { app: 'web' } });
    const [empty] = await found(async () => ((await slicesOf('web')).length === 1 ? slicesOf('web') : undefined));
    expect(empty?.metadata).toMatchObject({
      name: expect.stringMatching(/^web-[a-z0-9]{5}$/),
      labels: { team: 't', 'endpointslice.kubernetes.io/managed-by': 'endpointslice-controller.k8s.io' },
      ownerReferences: [{ kind: 'Service', name: 'web', uid: service.metadata.uid, controller: true }],
      annotations: { 'endpoints.kubernetes.io/last-change-trigger-time': service.metadata.creationTimestamp },
    });
    for (const [index, name] of ['a', 'b', 'c'].entries()) await runningPod(name, `10.244.0.${index}`);
    const [full] = await found(async () => {
      const slices = await slicesOf('web');
      return addressesOf(slices).length === 3 ? slices : undefined;
    });
    expect(full).toMatchObject({ metadata: { name: empty?.metadata.name }, ports: [{ port: 8080 }] });
    // A write each would be another generation each.
    const generation = full?.metadata.generation ?? 0;
    await test.admin.of(Pod).delete('b', inDefault);
    const [less] = await found(async () => {
      const slices = await slicesOf('web');
      return addressesOf(slices).length === 2 ? slices : undefined;
    });
    expect(less?.metadata.generation).toBe(generation + 1);
  });

  it('has Endpoints, which go with it', async () => {
    test.start(ENDPOINTS_USER, startEndpointsController);
    await runningPod('a', '10.244.0.5');
    await createService('web', { selector: { app: 'web' } });
    const endpoints = await found(() => test.admin.of(Endpoints).get('web', inDefault));
    expect(endpoints).toMatchObject({
      metadata: { labels: { team: 't', 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' } },
      subsets: [
        { addresses: [{ ip: '10.244.0.5', nodeName: 'n1', targetRef: { name: 'a' } }], ports: [{ port: 8080 }] },
      ],
    });
    await test.admin.of(Service).delete('web', inDefault);
    await gone(() => test.admin.of(Endpoints).get('web', inDefault));
  });
});

describe('a Service without a selector', () => {
  it('has slices of the Endpoints that a user writes', async () => {
    test.start(ENDPOINT_SLICE_MIRRORING_USER, startEndpointSliceMirroringController);
    const endpoints = test.admin.of(Endpoints);
    await createService('db', {});
    const written = await endpoints.create({
      metadata: { name: 'db', ...inDefault },
      subsets: [{ addresses: [{ ip: '192.0.2.1' }], ports: [{ port: 5432 }] }],
    });
    const [slice] = await found(async () => ((await slicesOf('db')).length > 0 ? slicesOf('db') : undefined));
    expect(slice?.metadata.ownerReferences).toMatchObject([{ kind: 'Endpoints', uid: written.metadata.uid }]);
    expect(addressesOf(slice ? [slice] : [])).toEqual(['192.0.2.1']);
    await endpoints.patch('db', { subsets: null }, { ...inDefault, type: 'merge' });
    await found(async () => (await slicesOf('db')).length === 0);
  });
});

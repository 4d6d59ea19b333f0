import { CustomResourceDefinition, EndpointSlice, isConditionTrue, type KubeObject } from '@vireo/api';
import { METRICS_SERVICE } from '@vireo/api/kinds/kubevirt/names.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { USER as CONTROLLER, install } from '@vireo/controllers';
import { Client } from '@vireo/kube';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { publishMetrics } from '../../roles/metricsEndpoint.ts';
import { applyServiceMonitor, deleteServiceMonitor, metricsService } from './monitoring.ts';

let server: TestServer;
beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true, objects: [metricsService()] });
});
afterAll(() => server?.close());

const at = { namespace: 'kubevirt' };
const monitors = {
  group: 'monitoring.coreos.com',
  version: 'v1',
  kind: 'ServiceMonitor',
  plural: 'servicemonitors',
  namespaced: true,
};

describe('a ServiceMonitor', () => {
  it('comes only where the Prometheus operator is, and goes again', async () => {
    expect(await applyServiceMonitor(server.client)).toBe(false);
    await deleteServiceMonitor(server.client);
    const name = `${monitors.plural}.${monitors.group}`;
    await server.client.of(CustomResourceDefinition).create({
      metadata: { name },
      spec: {
        group: monitors.group,
        scope: 'Namespaced',
        names: { plural: monitors.plural, kind: monitors.kind },
        versions: [
          {
            name: monitors.version,
            served: true,
            storage: true,
            schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
          },
        ],
      },
    });
    await expect
      .poll(async () => isConditionTrue(await server.client.of(CustomResourceDefinition).get(name), 'Established'))
      .toBe(true);
    expect(await applyServiceMonitor(server.client)).toBe(true);
    expect(await server.client.of<KubeObject>(monitors).get('kubevirt', at)).toMatchObject({
      spec: { endpoints: [{ port: 'metrics', scheme: 'https' }, { port: 'https' }] },
    });
    await deleteServiceMonitor(server.client);
    expect(await server.client.of<KubeObject>(monitors).find('kubevirt', at)).toBeUndefined();
  });
});

describe('the metrics of controllers', () => {
  const slices = async () =>
    (
      await server.client
        .of(EndpointSlice)
        .list({ ...at, labelSelector: `kubernetes.io/service-name=${METRICS_SERVICE}` })
    ).items;
  const controllers = () =>
    new Client(server.inProcess({ username: CONTROLLER, groups: ['system:serviceaccounts', 'system:authenticated'] }));

  it('are found behind the Service while others can connect', async () => {
    const unpublish = await publishMetrics(
      controllers(),
      'virt-controller',
      { host: '192.0.2.7', port: 0 },
      { port: 8443 },
    );
    expect(await slices()).toMatchObject([
      { endpoints: [{ addresses: ['192.0.2.7'] }], ports: [{ name: 'metrics', port: 8443 }] },
    ]);
    await unpublish();
    expect(await slices()).toEqual([]);
  });

  it('are not published if they are served on a loopback address', async () => {
    const unpublish = await publishMetrics(
      controllers(),
      'virt-controller',
      { host: '127.0.0.1', port: 0 },
      { port: 1 },
    );
    expect(await slices()).toEqual([]);
    await unpublish();
  });
});

import { once } from 'node:events';
import tls from 'node:tls';
import { APIService, ConfigMap, type Persisted } from '@vireo/api';
import { Informers } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Installation, install } from '../testing/installation.ts';

const VMS = '/apis/kubevirt.io/v1/namespaces/default/virtualmachines';
const VM = {
  apiVersion: 'kubevirt.io/v1',
  kind: 'VirtualMachine',
  metadata: { name: 'web' },
  spec: { runStrategy: 'Halted', template: { spec: { domain: { devices: {}, memory: { guest: '64Mi' } } } } },
};
const ACTION = '/apis/subresources.kubevirt.io/v1/namespaces/default/virtualmachines/absent/start';

let installation: Installation;
beforeAll(async () => {
  const lifetimes = { authorityMs: 10_000, servingMs: 5_000, publishMs: 500 };
  installation = await install({ carrier: 'remote', lifetimes });
});
afterAll(() => installation?.close());

/** The certificate that the listener shows now to a client that trusts the bundle alone; throws where that does not do. */
async function shownCertificate(bundle: string): Promise<tls.PeerCertificate> {
  const socket = tls.connect({
    host: '127.0.0.1',
    port: installation.port ?? 0,
    ca: bundle,
    servername: 'virt-api.kubevirt.svc',
  });
  await once(socket, 'secureConnect');
  const certificate = socket.getPeerCertificate();
  socket.destroy();
  return certificate;
}

it('certificates and their authority are replaced without a failed request', async () => {
  const { server } = installation;
  const transport = server.inProcess();
  const stop = new AbortController();
  const informers = new Informers(server.client);
  const apiServices = informers.for(APIService);
  const maps = informers.for(ConfigMap, { namespace: 'kubevirt' });
  informers.start(stop.signal);
  await informers.whenSynced();
  const bundleOf = ({ spec }: Persisted<APIService>): string => Buffer.from(spec?.caBundle ?? '', 'base64').toString();
  const [serials, issuers] = [new Set<string>(), new Set<string>()];
  // Two authorities, and more certificates than one of each: one was replaced because of its own age.
  while (issuers.size < 2 || serials.size < 3) {
    const [created, acted] = await Promise.all([
      transport.call({ method: 'POST', path: VMS, query: { dryRun: 'All' }, body: VM }),
      transport.call({ method: 'PUT', path: ACTION, body: {} }),
    ]);
    expect({ created: created.status, acted: acted.status }).toEqual({ created: 201, acted: 404 });
    const api = apiServices.get('v1.subresources.kubevirt.io');
    if (!api) throw new Error('there is no APIService');
    const { serialNumber, issuer } = await shownCertificate(bundleOf(api));
    serials.add(serialNumber);
    issuers.add(String(issuer.CN));
  }
  expect(maps.get('kubevirt/kubevirt-ca')?.data?.['ca-bundle']).toContain('BEGIN CERTIFICATE');
  stop.abort();
}, 60_000);

import { once } from 'node:events';
import tls from 'node:tls';
import { APIService, ConfigMap, type Persisted } from '@vireo/api';
import { type Clock, Informers } from '@vireo/kube';
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

const MINUTE_MS = 60_000;

/** A clock that is behind and goes forward when it is told: what lasts for an hour by it is always valid for all others. */
class LateClock implements Clock {
  #behindMs = 50 * MINUTE_MS;
  readonly #timers = new Set<() => void>();

  now(): number {
    return Date.now() - this.#behindMs;
  }

  after(_ms: number, run: () => void): () => void {
    this.#timers.add(run);
    return () => this.#timers.delete(run);
  }

  catchUp(): void {
    this.#behindMs = 0;
    for (const run of [...this.#timers]) run();
    this.#timers.clear();
  }
}

let installation: Installation;
const clock = new LateClock();
beforeAll(async () => {
  const lifetimes = { authorityMs: 60 * MINUTE_MS, servingMs: 60 * MINUTE_MS, publishMs: 0 };
  installation = await install({ carrier: 'remote', serve: { lifetimes, certificateClock: clock } });
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
  const issuers = new Set<string>();
  for (let round = 0; issuers.size < 2; round++) {
    if (round === 5) clock.catchUp();
    const [created, acted] = await Promise.all([
      transport.call({ method: 'POST', path: VMS, query: { dryRun: 'All' }, body: VM }),
      transport.call({ method: 'PUT', path: ACTION, body: {} }),
    ]);
    expect({ created: created.status, acted: acted.status }).toEqual({ created: 201, acted: 404 });
    const api = apiServices.get('v1.subresources.kubevirt.io');
    if (!api) throw new Error('there is no APIService');
    const { issuer } = await shownCertificate(bundleOf(api));
    issuers.add(String(issuer.CN));
  }
  expect(maps.get('kubevirt/kubevirt-ca')?.data?.['ca-bundle']).toContain('BEGIN CERTIFICATE');
  stop.abort();
}, 60_000);

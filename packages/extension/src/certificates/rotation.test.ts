import { once } from 'node:events';
import tls from 'node:tls';
import { APIService } from '@vireo/api';
import { Client, type Clock, Informers } from '@vireo/kube';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { ServedExtension } from '../remote/serve.ts';
import { accountTransport, type Installation, install, serveInstance } from '../testing/installation.ts';

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
  #behindMs = 56 * MINUTE_MS;
  readonly #timers = new Set<() => void>();

  now(): number {
    return Date.now() - this.#behindMs;
  }

  after(_ms: number, run: () => void): () => void {
    this.#timers.add(run);
    return () => this.#timers.delete(run);
  }

  goOn(minutes: number): void {
    this.#behindMs -= minutes * MINUTE_MS;
    for (const run of [...this.#timers]) {
      this.#timers.delete(run);
      run();
    }
  }
}

let installation: Installation;
let second: ServedExtension;
const stop = new AbortController();
const clock = new LateClock();
beforeAll(async () => {
  const lifetimes = { authorityMs: 60 * MINUTE_MS, servingMs: 60 * MINUTE_MS, publishMs: 5 * MINUTE_MS };
  const serve = { lifetimes, certificateClock: clock };
  installation = await install({ carrier: 'remote', serve });
  const client = new Client(await accountTransport(installation.server));
  second = await serveInstance(installation.server, { client, ...serve }, stop.signal, 'second');
});
afterAll(async () => {
  await second?.close();
  stop.abort();
  await installation?.close();
});

/** Who has signed the certificate that an instance shows to a client that trusts the bundle alone; throws where that does not do. */
async function issuerAt(port: number, bundle: string): Promise<string> {
  const socket = tls.connect({ host: '127.0.0.1', port, ca: bundle, servername: 'virt-api.kubevirt.svc' });
  await once(socket, 'secureConnect');
  const { issuer } = socket.getPeerCertificate();
  socket.destroy();
  return String(issuer.CN);
}

it('certificates of two instances and their CA are replaced without a failed request', async () => {
  const { server } = installation;
  const transport = server.inProcess();
  const informers = new Informers(server.client);
  const apiServices = informers.for(APIService);
  informers.start(stop.signal);
  await informers.whenSynced();
  const bundle = (): string => {
    const { spec } = apiServices.get('v1.subresources.kubevirt.io') ?? {};
    return Buffer.from(spec?.caBundle ?? '', 'base64').toString();
  };
  const count = (): number => bundle().split('BEGIN CERTIFICATE').length - 1;
  const issuers = (): Promise<string[]> =>
    Promise.all([installation.port ?? 0, second.port].map((port) => issuerAt(port, bundle())));
  let isOver = false;
  const statuses = { created: new Set<number>(), acted: new Set<number>() };
  const asking = [
    async () => {
      const call = { method: 'POST', path: VMS, query: { dryRun: 'All' }, body: VM } as const;
      while (!isOver) statuses.created.add((await transport.call(call)).status);
    },
    async () => {
      while (!isOver) statuses.acted.add((await transport.call({ method: 'PUT', path: ACTION, body: {} })).status);
    },
  ].map((ask) => ask());
  const [first] = await issuers();
  expect(await issuers()).toEqual([first, first]);
  clock.goOn(50);
  while (count() < 2) await issuers();
  // Published, and everybody has time to learn of it: it does not sign yet.
  expect(await issuers()).toEqual([first, first]);
  for (let minutes = 0; (await issuers()).includes(first ?? ''); minutes++) if (minutes < 9) clock.goOn(1);
  expect(new Set(await issuers()).size).toBe(1);
  expect(count()).toBe(2);
  isOver = true;
  await Promise.all(asking);
  expect(statuses).toEqual({ created: new Set([201]), acted: new Set([404]) });
}, 60_000);

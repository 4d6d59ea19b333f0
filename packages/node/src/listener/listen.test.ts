import { X509Certificate } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { Agent, get } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TLSSocket } from 'node:tls';
import { testAuthority } from '@vireo/apiserver/testing/certificates.ts';
import { type IssuedCertificate, RotatingCertificate } from '@vireo/kube';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { expect, it } from 'vitest';
import { listenAsNode } from './listen.ts';

const cluster = testAuthority();
const client = cluster.issue({ commonName: 'vireo:extension:a', use: 'client' });

const HOUR_MS = 3_600_000;

/** A certificate of the node that is to last for an hour from now by the clock, and is valid by all others meanwhile. */
function issued(clock: FakeClock): IssuedCertificate {
  const subjectAltNames = { dnsNames: [], ipAddresses: ['127.0.0.1'] };
  const pair = cluster.issue({ commonName: 'system:node:a', use: 'server', subjectAltNames });
  return { ...pair, notAfter: new Date(clock.now() + HOUR_MS) };
}

it('the certificate of a node is replaced without a failed request, on new connections and on old ones', async () => {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-listener-'));
  const stop = new AbortController();
  const clock = new FakeClock();
  clock.advance(Date.now());
  const log = memoryLog();
  const listener = await listenAsNode({ host: '127.0.0.1', port: 0, log });
  const issue = async () => issued(clock);
  const certificate = await RotatingCertificate.open({ directory, name: 'serving', log, clock, issue }, stop.signal);
  const trust = (): void => listener.trust(certificate.current(), cluster.caPem);
  certificate.onChange(trust);
  trust();
  listener.serve({
    name: 'a',
    api: { handle: (_, response) => void response.end('answer'), upgrade: () => {} },
    reviews: { token: () => Promise.reject(new Error('no token')), access: async () => ({ allowed: true }) },
    pods: () => [],
    metrics: async () => '',
    problem: () => undefined,
  });

  const options = {
    host: '127.0.0.1',
    port: listener.port,
    ca: cluster.caPem,
    cert: client.certPem,
    key: client.keyPem,
  };
  const ask = (agent: Agent | false): Promise<{ status: number | undefined; serial: string }> =>
    new Promise((resolve, reject) => {
      get({ ...options, agent, path: '/containerLogs/a/b/c' }, (response) => {
        const { serialNumber: serial } = (response.socket as TLSSocket).getPeerCertificate();
        response.resume().once('end', () => resolve({ status: response.statusCode, serial }));
      }).once('error', reject);
    });
  const kept = new Agent({ keepAlive: true, maxSockets: 1 });
  const statuses = new Set<number | undefined>();
  const serials = new Set<string>();
  const asking = [false, kept].map(async (agent) => {
    while (!stop.signal.aborted) {
      const { status, serial } = await ask(agent as Agent | false);
      statuses.add(status);
      serials.add(serial);
    }
  });
  for (let renewals = 1; renewals <= 3; renewals++) {
    while (serials.size < renewals) await new Promise(setImmediate);
    clock.advance(HOUR_MS);
  }
  stop.abort();
  await Promise.all(asking);
  expect([...statuses]).toEqual([200]);
  expect(serials).toContain(new X509Certificate(certificate.current().certPem).serialNumber);
  kept.destroy();
  await listener.close();
  await rm(directory, { recursive: true });
});

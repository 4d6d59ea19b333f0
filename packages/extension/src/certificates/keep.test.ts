import { X509Certificate } from 'node:crypto';
import { APIService, ConfigMap, Namespace, Secret, type UnknownObject } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import { Client, type Clock, Informers, type Transport } from '@vireo/kube';
import { eventually } from '@vireo/kube/testing/eventually.ts';
import { FakeClock } from '@vireo/kube/testing/fakeClock.ts';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { apiServices } from '../install/apiServices.ts';
import { authoritiesFromData, isSignedBy, type KeyPair } from './authorities.ts';
import { keepCertificates } from './keep.ts';

const MINUTE_MS = 60_000;
const LIFETIMES = { authorityMs: 100 * MINUTE_MS, servingMs: 30 * MINUTE_MS, publishMs: 5 * MINUTE_MS };
const OWN = apiServices();
const AT = { namespace: 'kubevirt' };

let server: TestServer;
let time: FakeClock;
let clock: Clock;
let stop: AbortController;
let keeping: Promise<void>[];

beforeEach(async () => {
  server = await startTestServer();
  await server.client.of(Namespace).create({ metadata: { name: 'kubevirt' } });
  for (const object of OWN) await server.client.of<UnknownObject>(APIService).create({ ...object });
  const fake = new FakeClock();
  time = fake;
  clock = { now: () => Date.UTC(2026, 0, 1) + fake.now(), after: (ms, run) => fake.after(ms, run) };
  stop = new AbortController();
  keeping = [];
});
afterEach(async () => {
  stop.abort();
  await Promise.all(keeping);
  await server.close();
});

/** An instance that keeps the certificates; the result has those that it has shown. */
function keeper(transport: Transport = server.inProcess(), log = memoryLog()): KeyPair[] {
  const client = new Client(transport);
  const informers = new Informers(client);
  const shown: KeyPair[] = [];
  const options = {
    client,
    informers,
    clock,
    log,
    lifetimes: LIFETIMES,
    onServing: (pair: KeyPair) => shown.push(pair),
  };
  keeping.push(keepCertificates(options, stop.signal));
  informers.start(stop.signal);
  return shown;
}

const authorities = async () => {
  const found = authoritiesFromData(await server.client.of(Secret).get('kubevirt-ca', AT));
  if (!found) throw new Error('there is no CA');
  return found;
};
const bundles = async (): Promise<string[]> => {
  const map = await server.client.of(ConfigMap).find('kubevirt-ca', AT);
  const { items } = await server.client.of(APIService).list();
  const own = items.filter(({ metadata }) => OWN.some((each) => each.metadata.name === metadata.name));
  return [
    map?.data?.['ca-bundle'] ?? '',
    ...own.map(({ spec }) => Buffer.from(spec?.caBundle ?? '', 'base64').toString()),
  ];
};
const holds = async (check: () => Promise<boolean>): Promise<void> => {
  while (!(await check())) await new Promise(setImmediate);
};
const everywhere = (...pems: string[]) =>
  holds(async () => (await bundles()).every((bundle) => pems.every((pem) => bundle.includes(pem.trim()))));
const signer = (shown: readonly KeyPair[]) => (current: KeyPair) => isSignedBy(shown.at(-1)?.certPem ?? '', current);

it('two instances replace the CA once all have published it, and both show what everybody trusts', async () => {
  const [one, other] = [keeper(), keeper()];
  await eventually(() => one.length > 0 && other.length > 0);
  const { current: first } = await authorities();
  await everywhere(first.certPem);
  expect([one, other].every((shown) => signer(shown)(first))).toBe(true);

  // 80 % of its life are over.
  time.advance(80 * MINUTE_MS);
  await holds(async () => (await authorities()).next !== undefined);
  const { current, next } = await authorities();
  if (!next) throw new Error('there is no next CA');
  expect(current).toEqual(first);
  await everywhere(first.certPem, next.certPem);
  const publishedMs = clock.now();
  while (!signer(one)(next) || !signer(other)(next)) {
    if (clock.now() < publishedMs + LIFETIMES.publishMs)
      expect([one, other].every((shown) => signer(shown)(first))).toBe(true);
    time.advance(1000);
    await new Promise(setImmediate);
  }
  expect(await authorities()).toEqual({ current: next, previous: [first.certPem] });
  await everywhere(first.certPem, next.certPem);

  time.advance(20 * MINUTE_MS);
  await holds(async () => (await bundles()).every((bundle) => !bundle.includes(first.certPem.trim())));
});

/** A server that refuses one write. */
const refusing = (name: string): Transport => {
  const inner = server.inProcess();
  return Object.assign(Object.create(inner) as Transport, {
    call: (call: Parameters<Transport['call']>[0]) =>
      call.method === 'PATCH' && call.path.endsWith(`/${name}`)
        ? Promise.resolve({
            status: 403,
            headers: {},
            body: {
              kind: 'Status',
              status: 'Failure',
              reason: 'Forbidden',
              code: 403,
              message: `${name} is forbidden`,
            },
          })
        : inner.call(call),
  });
};

it('an object that cannot be written keeps none of the others from being so, and is reported', async () => {
  const [refused, ...rest] = OWN.map(({ metadata }) => metadata.name);
  const log = memoryLog();
  const shown = keeper(refusing(refused ?? ''), log);
  await eventually(() => shown.length > 0);
  const { current } = await authorities();
  const bundleOf = async (name: string) => (await server.client.of(APIService).get(name)).spec?.caBundle;
  await holds(async () => (await Promise.all(rest.map(bundleOf))).every(Boolean));
  await eventually(() => log.entries.some(({ fields }) => String(fields?.error).includes(`${refused} is forbidden`)));
  expect(await bundleOf(refused ?? '')).toBeUndefined();
  // Not published everywhere: the next CA does not sign, and the serving certificate is made once for what is left.
  time.advance(99 * MINUTE_MS);
  await holds(async () => (await authorities()).next !== undefined);
  await eventually(
    () => new X509Certificate(shown.at(-1)?.certPem ?? '').validTo === new X509Certificate(current.certPem).validTo,
  );
  const made = shown.length;
  for (let look = 0; look < 20; look++) {
    time.advance(1);
    await new Promise(setImmediate);
  }
  expect(shown).toHaveLength(made);
});

it('an object of somebody else that leads to the extension is left alone', async () => {
  const [{ spec }] = OWN as [(typeof OWN)[number]];
  const foreign = {
    metadata: { name: 'v1.foreign.example' },
    spec: { ...spec, group: 'foreign.example', version: 'v1' },
  };
  await server.client.of<UnknownObject>(APIService).create(foreign);
  const shown = keeper(refusing('v1.foreign.example'));
  await eventually(() => shown.length > 0);
  await everywhere((await authorities()).current.certPem);
  expect((await server.client.of(APIService).get('v1.foreign.example')).spec?.caBundle).toBeUndefined();
});

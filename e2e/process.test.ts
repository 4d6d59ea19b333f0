import { readFile, stat } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ConfigMap } from '@vireo/api';
import { Client, httpTransport, loadKubeconfig } from '@vireo/kube';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { certificates, lineWith, runVireo, spawnVireo, startVireo, temporaryHome, type Vireo } from './vireo.ts';

// Starting a server several times takes long where others keep the host busy.
vi.setConfig({ testTimeout: 240_000 });

const root = fileURLToPath(new URL('..', import.meta.url));
const namespace = 'default';

let home: string;
let remove: () => Promise<void>;
const running = new Set<{ stop(): Promise<unknown> }>();

beforeEach(async () => {
  ({ home, remove } = await temporaryHome());
});
afterEach(async () => {
  await Promise.all([...running].map((server) => server.stop()));
  running.clear();
  await remove();
});

async function start(): Promise<Vireo> {
  const server = await startVireo({ home });
  running.add(server);
  return server;
}

async function withClient<T>(kubeconfig: string, use: (client: Client) => Promise<T>): Promise<T> {
  const transport = httpTransport(await loadKubeconfig({ path: kubeconfig }));
  try {
    return await use(new Client(transport));
  } finally {
    await transport.close();
  }
}

function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer().once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const { port } = server.address() as { port: number };
      server.close(() => resolve(port));
    });
  });
}

const readyz = (kubeconfig: string) =>
  withClient(kubeconfig, ({ transport }) => transport.call({ method: 'GET', path: '/readyz' }));

describe('npm start', () => {
  it('honours VIREO_HOME and VIREO_PORT, says where the kubeconfig is, and ends with 0 on SIGTERM', async () => {
    const port = await freePort();
    const { child, output, ended } = spawnVireo(
      ['--prefix', root, 'start', '--', '--api-only'],
      { VIREO_HOME: home, VIREO_PORT: String(port) },
      'npm',
    );
    await Promise.race([lineWith(child, output, /is ready after/), ended]);
    const kubeconfig = join(home, 'kubeconfig');
    expect(output()).toContain(`The Kubernetes API is at https://127.0.0.1:${port}\n`);
    expect(output()).toContain(`\n  export KUBECONFIG=${kubeconfig}\n`);
    expect(await readyz(kubeconfig)).toMatchObject({ status: 200, body: 'ok' });
    child.kill('SIGTERM');
    expect(await ended).toMatchObject({ code: 0 });
    expect(output()).toContain('Stopping on SIGTERM');
    expect(output()).toContain(`All data is kept in ${home}.`);
  });
});

describe('vireo up', () => {
  it('keeps keys and the kubeconfig from other users', async () => {
    const { kubeconfig } = await start();
    const mode = async (path: string) => ((await stat(path)).mode & 0o777).toString(8);
    expect(await mode(kubeconfig)).toBe('600');
    expect(await mode(join(home, 'pki', 'ca.key'))).toBe('600');
    expect(await mode(join(home, 'store.db'))).toMatch(/^6[04]{2}$/);
  });

  it('carries on where it stopped: the same objects, the same certificates, tokens that stay good', async () => {
    const files = ['ca.crt', 'admin.crt', 'sa.key'];
    const first = await start();
    const made = await withClient(first.kubeconfig, (client) =>
      client.of(ConfigMap).create({ metadata: { name: 'kept', namespace }, data: { a: '1' } }),
    );
    const before = await certificates(home, files);
    expect(await first.stop()).toMatchObject({ code: 0, signal: null });

    const second = await start();
    const found = await withClient(second.kubeconfig, (client) => client.of(ConfigMap).get('kept', { namespace }));
    expect(found).toEqual(made);
    expect(await certificates(home, files)).toEqual(before);
  });

  it('ends its watches when it stops', async () => {
    const server = await start();
    await withClient(server.kubeconfig, async (client) => {
      const watch = await client.transport.watch({ method: 'GET', path: '/api/v1/namespaces', query: { watch: true } });
      const ended = (async () => {
        for await (const _ of watch);
      })().catch(() => {});
      expect(await server.stop()).toMatchObject({ code: 0 });
      await ended;
    });
  });

  it('refuses a home that another server has open, and leaves that one alone', async () => {
    const first = await start();
    const second = await runVireo(['up', '--home', home, '--port', '0']);
    expect(second.code).toBe(1);
    expect(second.output).toContain(
      `the home ${home} is in use by the server with pid ${first.pid} on port ${first.port}`,
    );
    expect(second.output).toContain(`vireo down --home ${home}`);
    expect(await readyz(first.kubeconfig)).toMatchObject({ status: 200 });
  });

  it('refuses a port that is taken', async () => {
    const first = await start();
    const other = await temporaryHome();
    const second = await runVireo(['up', '--home', other.home, '--port', String(first.port)]);
    await other.remove();
    expect(second.code).toBe(1);
    expect(second.output).toContain(String(first.port));
  });

  it('down stops it, status tells of it', async () => {
    const server = await start();
    const status = await runVireo(['status', '--home', home]);
    expect(status.output).toContain(String(server.port));
    expect(await runVireo(['down', '--home', home])).toMatchObject({ code: 0 });
    // Nobody is there any more to be hurt by a second signal.
    expect(await server.stop()).toMatchObject({ code: 0, signal: null });
  });
});

describe('kill -9', () => {
  const WRITERS = 64;
  /** The store's own suite kills twenty times, and `npm run faults` as often as one likes. */
  const ROUNDS = 4;
  const ACKNOWLEDGED_PER_ROUND = 500;

  it(`loses no acknowledged write of ${WRITERS} concurrent clients`, async () => {
    /** What each object must at least have reached, by name. */
    const acknowledged = new Map<string, { uid: string; step: number }>();
    for (let round = 0; round < ROUNDS; round++) {
      const server = await start();
      const before = acknowledged.size;
      const killed = Promise.withResolvers<void>();
      await withClient(server.kubeconfig, async (client) => {
        const write = async (writer: number): Promise<void> => {
          const maps = client.of(ConfigMap);
          for (let serial = 0; ; serial++) {
            const name = `r${round}-w${writer}-${serial}`;
            const { metadata } = await maps.create({ metadata: { name, namespace }, data: content(name, 1) });
            acknowledged.set(name, { uid: metadata.uid as string, step: 1 });
            await maps.patch(name, { data: content(name, 2) }, { namespace, type: 'merge' });
            acknowledged.set(name, { uid: metadata.uid as string, step: 2 });
            if (acknowledged.size - before >= ACKNOWLEDGED_PER_ROUND) killed.resolve(server.kill().then(() => {}));
          }
        };
        const writers = Array.from({ length: WRITERS }, (_, writer) => write(writer).catch(() => {}));
        await killed.promise;
        await Promise.all(writers);
      });
      running.delete(server);

      const again = await start();
      console.log(
        `round ${round + 1}: ${acknowledged.size - before} acknowledged, ready after ${Math.round(again.readyAfterMs)} ms`,
      );
      const found = new Map<string, ConfigMap>();
      await withClient(again.kubeconfig, async (client) => {
        for await (const object of client.of(ConfigMap).listAll({ namespace }))
          found.set(object.metadata.name as string, object);
      });
      for (const [name, { uid, step }] of acknowledged) {
        expect(found.get(name)?.metadata.uid, name).toBe(uid);
        expect(Number(found.get(name)?.data?.step), name).toBeGreaterThanOrEqual(step);
      }
      // What was not acknowledged is there as a whole or not at all.
      for (const [name, { data }] of found)
        if (data?.step) expect(data, name).toEqual(content(name, Number(data.step)));
      await again.stop();
      running.delete(again);
    }
    expect(acknowledged.size).toBeGreaterThanOrEqual(ROUNDS * ACKNOWLEDGED_PER_ROUND);
  });

  const content = (name: string, step: number): Record<string, string> => ({
    step: String(step),
    text: `${name} at ${step} `.repeat(50),
  });
});

it('prints its version without starting anything', async () => {
  const { version } = JSON.parse(await readFile(join(root, 'package.json'), 'utf8')) as { version: string };
  for (const args of [['version', '--client'], ['--version']])
    expect(await runVireo(args)).toMatchObject({ code: 0, output: expect.stringContaining(version) });
});

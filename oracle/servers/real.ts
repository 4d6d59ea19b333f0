import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { startChild } from './child.ts';
import { Connection } from './connection.ts';
import type { PlayedServer } from './server.ts';

/** The programs that `scripts/lib/oracleServer.mjs` built or fetched. */
export interface RealPrograms {
  readonly server: string;
  readonly etcd: string;
}

/** Starts the real apiextensions-apiserver on an empty etcd of its own; both end with it. */
export async function startReal({ server, etcd }: RealPrograms): Promise<PlayedServer> {
  await using stack = new AsyncDisposableStack();
  const directory = await mkdtemp(join(tmpdir(), 'vireo-oracle-'));
  stack.defer(() => rm(directory, { recursive: true, force: true }));
  // Sockets in a directory of ours instead of ports: nothing else can be listening there.
  const store = `unix://${directory}/etcd`;
  const storeChild = startChild(etcd, [
    ...['--data-dir', join(directory, 'data'), '--unsafe-no-fsync', '--log-level', 'warn'],
    ...['--listen-client-urls', store, '--advertise-client-urls', 'http://localhost:2379'],
    ...['--listen-peer-urls', `unix://${directory}/peer`, '--initial-advertise-peer-urls', 'http://localhost:2380'],
    ...['--initial-cluster', 'default=http://localhost:2380'],
  ]);
  stack.use(storeChild);
  const child = stack.use(startChild(server, ['-etcd', store, '-certificates', directory]));
  const [, port] = await child.printed(/https:\/\/127\.0\.0\.1:(\d+)\n/);
  const connection = new Connection(Number(port), { ca: await readFile(join(directory, 'apiserver.crt'), 'utf8') });
  stack.defer(() => connection.close());
  await served(connection);
  const kept = stack.move();
  return { name: 'real', connection, output: () => child.output(), [Symbol.asyncDispose]: () => kept.disposeAsync() };
}

/** Waits until it serves CRDs. `/readyz` never says so here, because there is no core API behind it. */
async function served(connection: Connection): Promise<void> {
  const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  for (let tries = 0; ; tries++) {
    const answer = await connection.send({ method: 'GET', path }).catch((error: Error) => error);
    if (!(answer instanceof Error) && answer.status === 200) return;
    if (tries > 300) throw new Error('the real server does not serve CRDs', { cause: answer });
    await delay(100);
  }
}

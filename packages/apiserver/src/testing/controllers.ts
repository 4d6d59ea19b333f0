import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isReason } from '@vireo/api';
import { Client, type ControllerContext, EventRecorder, Informers } from '@vireo/kube';
import { memoryLog } from '@vireo/kube/testing/memoryLog.ts';
import { builtinPlugins } from '../admission/plugins.ts';
import { type ApiServer, createApiServer, LOOPBACK } from '../apiServer.ts';
import { type Credential, ensurePki } from '../auth/pki.ts';
import { bootstrap } from '../bootstrap/bootstrap.ts';
import { evictionGate } from '../controllers/disruption/evictionGate.ts';
import type { ServedKinds } from '../controllers/servedKinds.ts';
import { servedKinds } from '../controllers/servedKinds.ts';
import { openMemoryStore } from '../store/testing/memory.ts';

type Context = ControllerContext & { readonly served: ServedKinds; readonly caPem: string; readonly ca: Credential };

/** The real server with its roles, in memory, without sockets. */
export interface TestServer {
  readonly server: ApiServer;
  /** A client that may do everything. */
  readonly admin: Client;
  readonly log: ReturnType<typeof memoryLog>;
  /** Starts a controller as the user that it runs as, with that user's rights only. */
  start(username: string, start: (context: Context, signal: AbortSignal) => Promise<void>): void;
  /** Ends everything; throws if a controller was denied something. */
  stop(): Promise<void>;
}

export async function startServerInMemory(): Promise<TestServer> {
  const directory = await mkdtemp(join(tmpdir(), 'vireo-controllers-'));
  const store = openMemoryStore();
  const pki = await ensurePki(directory);
  const server = createApiServer({ store, pki, issuer: 'https://test', plugins: builtinPlugins, evictionGate });
  const admin = new Client(server.transportFor(LOOPBACK));
  await bootstrap(admin, server.core.lookup, { pki, serverAddress: '192.0.2.7', port: 6443 });
  const stopping = new AbortController();
  const running: Promise<void>[] = [];
  const log = memoryLog();
  return {
    server,
    admin,
    log,
    start(username, start) {
      const account = username.split(':').at(-1) ?? '';
      const client = new Client(
        server.transportFor({
          username,
          groups: ['system:serviceaccounts', 'system:serviceaccounts:kube-system', 'system:authenticated'],
        }),
      );
      const informers = new Informers(client);
      const recorder = new EventRecorder(client, { component: account, log });
      const context = {
        client,
        informers,
        recorder,
        log,
        served: servedKinds(server.core.registry),
        caPem: pki.ca.certPem,
        ca: pki.ca,
      };
      running.push(start(context, stopping.signal));
      informers.start(stopping.signal);
    },
    async stop() {
      stopping.abort();
      await Promise.allSettled(running);
      await store.close();
      await rm(directory, { recursive: true });
      const denied = log.entries.map(({ fields }) => fields?.error).filter(isDenied);
      if (denied.length > 0) throw denied[0];
    },
  };
}

/** Lacking rights, that is; to come too late for a namespace is no offence. */
const isDenied = (error: unknown): boolean =>
  isReason(error, 'Forbidden') &&
  !error.status.details?.causes?.some(({ reason }) => reason === 'NamespaceTerminating');

/** Resolves with what `look` finds, once it finds something; a refusal to look is nothing found. */
export async function found<T>(look: () => Promise<T | undefined | false>): Promise<T> {
  for (;;) {
    const result = await look().catch(() => undefined);
    if (result !== undefined && result !== false) return result;
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}

/** Resolves when the object that `get` reads is no more. */
export async function gone(get: () => Promise<unknown>): Promise<void> {
  await found(() =>
    get().then(
      () => undefined,
      () => true,
    ),
  );
}

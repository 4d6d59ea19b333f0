import { Namespace } from '@vireo/api';
import { startServer } from '@vireo/apiserver';
import { LOOPBACK } from '@vireo/apiserver/apiServer.ts';
import { install } from '@vireo/controllers';
import { Vmi } from '@vireo/controllers/kinds.ts';
import { startReplicaSetController } from '@vireo/controllers/replicaset/index.ts';
import { replicaOf } from '@vireo/controllers/replicaset/instance.ts';
import { BURST } from '@vireo/controllers/replicaset/reconcile.ts';
import { ReplicaSet } from '@vireo/controllers/replicaset/set.ts';
import { Client, EventRecorder, Informers, type Transport } from '@vireo/kube';
import { serveTasks } from '../processes.ts';

const NAMESPACE = 'bench';
const at = { namespace: NAMESPACE };
const log = { debug() {}, info() {}, warn: console.error, error: console.error };

/** A machine that has run for a while: those that fail at once are replaced with patience. */
const FAILED = {
  phase: 'Failed',
  phaseTransitionTimestamps: [
    { phase: 'Running', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' },
    { phase: 'Failed', phaseTransitionTimestamp: '2026-01-01T00:01:00Z' },
  ],
};

/** What one way to make or remove instances took. */
export interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Writes that reached the server. */
  readonly writes: number;
}

/** The server, the controller of sets and who stands in for them, in one process as in `vireo up`; nothing runs the instances. */
let world: World | undefined;

const tasks = {
  start: async ({ home }: { home: string }): Promise<void> => {
    world = await World.start(home);
  },
  /** The floor: the same instances straight through the API, as many at once as a set has. */
  createStraight: ({ count }: { count: number }): Promise<Taken> => current().straight(count, 'create'),
  deleteStraight: ({ count }: { count: number }): Promise<Taken> => current().straight(count, 'delete'),
  scale: ({ count, every }: { count: number; every?: number }): Promise<Taken> => current().scale(count, every),
  stop: async (): Promise<void> => current().stop(),
};

export type ReplicaSetTasks = typeof tasks;

const current = (): World => {
  if (!world) throw new Error('not started yet');
  return world;
};

class World {
  readonly #client: Client;
  readonly #counts: { writes: number };
  readonly #stop: () => Promise<void>;
  readonly #informers: Informers;

  private constructor(client: Client, informers: Informers, counts: { writes: number }, stop: () => Promise<void>) {
    this.#client = client;
    this.#informers = informers;
    this.#counts = counts;
    this.#stop = stop;
  }

  static async start(home: string): Promise<World> {
    const server = await startServer({ home, port: 0, host: '127.0.0.1' });
    const counts = { writes: 0 };
    const client = new Client(counting(server.api.transportFor(LOOPBACK), counts));
    await install(client, { useEmulation: true });
    await client.of(Namespace).create({ metadata: { name: NAMESPACE } });
    await client.of(ReplicaSet).create(set(0));
    const stopping = new AbortController();
    const informers = new Informers(client, { log });
    const recorder = new EventRecorder(client, { component: 'bench', log });
    const ended = startReplicaSetController({ client, informers, recorder, log }, stopping.signal);
    informers.start(stopping.signal);
    await informers.whenSynced();
    return new World(client, informers, counts, async () => {
      stopping.abort();
      await ended;
      recorder.close();
      await server.close();
    });
  }

  stop(): Promise<void> {
    return this.#stop();
  }

  async straight(count: number, verb: 'create' | 'delete'): Promise<Taken> {
    const vmis = this.#client.of(Vmi);
    const { metadata, spec } = replicaOf(set(count));
    const { labels: _, ownerReferences: __, generateName: ___, ...bare } = metadata;
    const act = (index: number) =>
      verb === 'create'
        ? vmis.create({ metadata: { ...bare, name: `straight-${index}` }, spec })
        : vmis.delete(`straight-${index}`, at);
    return this.#measure(async () => {
      for (let done = 0; done < count; done += BURST)
        await Promise.all(Array.from({ length: Math.min(BURST, count - done) }, (_each, index) => act(done + index)));
    });
  }

  /** Until the set says that it has as many. `every`: each such instance fails as soon as it is seen. */
  scale(count: number, every?: number): Promise<Taken> {
    const failing = every === undefined ? () => {} : this.#failEach(every);
    return this.#measure(async () => {
      await this.#client.of(ReplicaSet).patch('bench', { spec: { replicas: count } }, { ...at, type: 'merge' });
      await this.#counted(count);
    }).finally(failing);
  }

  #counted(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = ({ status }: ReplicaSet): void => {
      if (status?.replicas === count) resolve();
    };
    const end = this.#informers.for(ReplicaSet).on({ added: look, updated: (_, each) => look(each) });
    return promise.finally(end);
  }

  #failEach(every: number): () => void {
    let seen = 0;
    return this.#informers.for(Vmi).on({
      added: ({ metadata: { name = '' } }) => {
        seen += 1;
        if (seen % every === 0)
          void this.#client
            .of(Vmi)
            .patch(name, { status: FAILED }, { ...at, type: 'merge' })
            .catch(log.error);
      },
    });
  }

  async #measure(work: () => Promise<void>): Promise<Taken> {
    const [writes, cpu, startedAt] = [this.#counts.writes, process.cpuUsage(), performance.now()];
    await work();
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, cpuSeconds: (user + system) / 1e6, writes: this.#counts.writes - writes };
  }
}

const set = (replicas: number): ReplicaSet => ({
  apiVersion: 'kubevirt.io/v1',
  kind: ReplicaSet.kind,
  metadata: { name: 'bench', ...at },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'bench' } },
    template: {
      metadata: { labels: { app: 'bench' } },
      spec: { domain: { memory: { guest: '64Mi' }, devices: {} } },
    },
  },
});

function counting(transport: Transport, counts: { writes: number }): Transport {
  const call: Transport['call'] = (request) => {
    if (request.method !== 'GET') counts.writes += 1;
    return transport.call(request);
  };
  return { call, watch: (request) => transport.watch(request), close: () => transport.close() };
}

serveTasks(tasks);

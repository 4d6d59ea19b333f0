import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { persisted } from '@vireo/api/testing/persisted.ts';
import { Pool } from '@vireo/controllers/pool/pool.ts';
import { newVmi } from '@vireo/controllers/replicaset/newVmi.ts';
import { BURST_REPLICAS } from '@vireo/controllers/replicaset/reconcile.ts';
import { ReplicaSet } from '@vireo/controllers/replicaset/replicaSet.ts';
import { serveTasks } from '../processes.ts';
import { STUB_NAMESPACE, type StubCluster, startStubCluster } from '../vms/stubCluster.ts';

const at = { namespace: STUB_NAMESPACE };

/** Nodes that the VMs are spread over. */
const NODES = 10;

/** A VM that has run for a while: those that fail at once are replaced with patience. */
const FAILED = {
  phase: 'Failed',
  phaseTransitionTimestamps: [
    { phase: 'Running', phaseTransitionTimestamp: '2026-01-01T00:00:00Z' },
    { phase: 'Failed', phaseTransitionTimestamp: '2026-01-01T00:01:00Z' },
  ],
};

/** What one way to make or remove VMIs took. */
export interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Writes that reached the server, of everybody. */
  readonly writes: number;
}

/** The whole of Vireo, in one process as in `vireo up`, with the one who asks for VMs. */
let testBed: TestBed | undefined;

const tasks = {
  start: async ({ home }: { home: string }): Promise<void> => {
    testBed = await TestBed.start(home);
  },
  /** The floor: the same VMIs straight through the API, as many at once as a set asks for. */
  createStraight: ({ count }: { count: number }): Promise<Taken> => current().straight(count, 'create'),
  deleteStraight: ({ count }: { count: number }): Promise<Taken> => current().straight(count, 'delete'),
  scale: ({ count, every }: { count: number; every?: number }): Promise<Taken> => current().scale(count, every),
  /** The same with VMs, and a pool of them. */
  createVms: ({ count }: { count: number }): Promise<Taken> => current().straightVms(count, 'create'),
  deleteVms: ({ count }: { count: number }): Promise<Taken> => current().straightVms(count, 'delete'),
  scalePool: ({ count }: { count: number }): Promise<Taken> => current().scalePool(count),
  stop: async (): Promise<void> => current().stop(),
};

export type ReplicaSetTasks = typeof tasks;

const current = (): TestBed => {
  if (!testBed) throw new Error('not started yet');
  return testBed;
};

class TestBed {
  readonly #cluster: StubCluster;
  readonly #vmis;
  readonly #vms;

  private constructor(cluster: StubCluster) {
    this.#cluster = cluster;
    this.#vmis = cluster.informers.for(Vmi);
    this.#vms = cluster.informers.for(Vm);
  }

  static async start(home: string): Promise<TestBed> {
    const cluster = await startStubCluster(home, NODES);
    await cluster.client.of(ReplicaSet).create(set(0));
    await cluster.client.of(Pool).create(pool(0));
    const testBed = new TestBed(cluster);
    await cluster.informers.whenSynced();
    return testBed;
  }

  stop(): Promise<void> {
    return this.#cluster.stop();
  }

  straight(count: number, verb: 'create' | 'delete'): Promise<Taken> {
    const vmis = this.#cluster.client.of(Vmi);
    const { metadata, spec } = newVmi(persisted(set(count)));
    const { labels: _, ownerReferences: __, generateName: ___, ...bare } = metadata;
    const act = (index: number) =>
      verb === 'create'
        ? vmis.create({ metadata: { ...bare, name: `straight-${index}` }, spec })
        : vmis.delete(`straight-${index}`, at);
    return this.#measure(verb === 'create' ? count : 0, () => inBursts(count, act));
  }

  straightVms(count: number, verb: 'create' | 'delete'): Promise<Taken> {
    const vms = this.#cluster.client.of(Vm);
    const { spec } = pool(count).spec.virtualMachineTemplate;
    const act = (index: number) =>
      verb === 'create'
        ? vms.create({ metadata: { ...at, name: `straight-${index}` }, spec })
        : vms.delete(`straight-${index}`, at);
    return this.#measureVms(verb === 'create' ? count : 0, () => inBursts(count, act));
  }

  scalePool(count: number): Promise<Taken> {
    const patch = { spec: { replicas: count } };
    return this.#measureVms(count, () => this.#cluster.client.of(Pool).patch('bench', patch, { ...at, type: 'merge' }));
  }

  /** Until so many VMs are there, and run. */
  #measureVms(count: number, ask: () => Promise<unknown>): Promise<Taken> {
    return this.#measure(count, async () => {
      await ask();
      const { promise, resolve } = Promise.withResolvers<void>();
      const look = (): void => {
        if (this.#vms.list().length === count) resolve();
      };
      const end = this.#vms.on({ added: look, deleted: look });
      look();
      await promise.finally(end);
    });
  }

  /** `every`: each such VM fails as soon as it runs. */
  scale(count: number, every?: number): Promise<Taken> {
    const failures = every === undefined ? undefined : this.#failEach(every, count);
    return this.#measure(count, async () => {
      const sets = this.#cluster.client.of(ReplicaSet);
      await sets.patch('bench', { spec: { replicas: count } }, { ...at, type: 'merge' });
      await failures?.happened;
    }).finally(() => failures?.end());
  }

  /** Every such VM of the first so many fails; those that replace them do not. */
  #failEach(every: number, count: number): { readonly happened: Promise<void>; end(): void } {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const [ran, failed] = [new Set<string>(), new Set<string>()];
    const look = (name: string): void => {
      if (ran.has(name)) return;
      ran.add(name);
      if (ran.size > count || ran.size % every !== 0) return;
      const vmis = this.#cluster.nodeClient.of(Vmi);
      vmis.patch(name, { status: FAILED }, { ...at, type: 'merge' }).catch(reject);
    };
    const end = this.#vmis.on({
      updated: (_, { metadata: { name = '' }, status }) => {
        if (status?.phase === 'Running') look(name);
        if (status?.phase === 'Failed') failed.add(name);
        if (failed.size >= Math.floor(count / every)) resolve();
      },
    });
    return { happened: promise, end };
  }

  /** From the first request until exactly so many VMs are there, all of them running. */
  async #measure(count: number, ask: () => Promise<void>): Promise<Taken> {
    const [writes, cpu, startedAt] = [await this.#cluster.writes(), process.cpuUsage(), performance.now()];
    await ask();
    await this.#reached(count);
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    return { seconds, cpuSeconds: (user + system) / 1e6, writes: (await this.#cluster.writes()) - writes };
  }

  #reached(count: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const [there, running] = [new Set<string>(), new Set<string>()];
    const isReached = (): void => {
      if (there.size === count && running.size === count) resolve();
    };
    const note = ({ metadata: { uid = '' }, status }: Vmi): void => {
      there.add(uid);
      if (status?.phase === 'Running') running.add(uid);
      else running.delete(uid);
    };
    const look = (vmi: Vmi): void => {
      note(vmi);
      isReached();
    };
    // All of them first: among those that are there may be as many as wanted, and more.
    for (const vmi of this.#vmis.list()) note(vmi);
    isReached();
    const end = this.#vmis.on({
      added: look,
      updated: (_, vmi) => look(vmi),
      deleted: ({ metadata: { uid = '' } }) => {
        there.delete(uid);
        running.delete(uid);
        isReached();
      },
    });
    return promise.finally(end);
  }
}

/** Asks for so many, as many at once as a set does. */
async function inBursts(count: number, act: (index: number) => Promise<unknown>): Promise<void> {
  for (let done = 0; done < count; done += BURST_REPLICAS)
    await Promise.all(
      Array.from({ length: Math.min(BURST_REPLICAS, count - done) }, (_each, index) => act(done + index)),
    );
}

const VMI_SPEC = { domain: { memory: { guest: '64Mi' }, devices: {} } };

const pool = (replicas: number) => ({
  apiVersion: 'pool.kubevirt.io/v1beta1',
  kind: Pool.kind,
  metadata: { name: 'bench', ...at },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'pool' } },
    virtualMachineTemplate: {
      metadata: { labels: { app: 'pool' } },
      spec: { runStrategy: 'Always', template: { metadata: { labels: { app: 'pool' } }, spec: VMI_SPEC } },
    },
  },
});

const set = (replicas: number) => ({
  apiVersion: 'kubevirt.io/v1',
  kind: ReplicaSet.kind,
  metadata: { name: 'bench', ...at },
  spec: {
    replicas,
    selector: { matchLabels: { app: 'bench' } },
    template: {
      metadata: { labels: { app: 'bench' } },
      spec: VMI_SPEC,
    },
  },
});

serveTasks(tasks);

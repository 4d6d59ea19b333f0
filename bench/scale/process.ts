import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { serveTasks } from '../processes.ts';
import { STUB_NAMESPACE, type StubCluster, startStubCluster } from '../vms/stubCluster.ts';

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** What it took to have some more VMs. */
export interface Taken {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Writes that reached the store, of everybody, events included. */
  readonly writes: number;
  /** From the request to phase Running, of each VM. */
  readonly latenciesMs: readonly number[];
}

let testBed: TestBed | undefined;

const current = (): TestBed => {
  if (!testBed) throw new Error('not started yet');
  return testBed;
};

const tasks = {
  start: async ({ home, nodes }: { home: string; nodes: number }): Promise<void> => {
    testBed = await TestBed.start(home, nodes);
  },
  /** Has `count` VMs more, so many of them on their way at once. */
  add: ({ count, atOnce }: { count: number; atOnce: number }): Promise<Taken> => current().add(count, atOnce),
  /** Has none. */
  clear: (): Promise<void> => current().clear(),
  /** Bytes in use when the garbage is gone. */
  memory: (): number => {
    collectGarbage();
    collectGarbage();
    const { heapUsed, external } = process.memoryUsage();
    return heapUsed + external;
  },
  /** How long it takes to read all metrics, in milliseconds: the middle of some. */
  scrape: (): Promise<number> => current().scrape(),
  stop: (): Promise<void> => current().stop(),
};

export type ScaleTasks = typeof tasks;

const at = { namespace: STUB_NAMESPACE };

const SCRAPES = 9;

/** A VM as people write them: admission fills in the rest. */
const vm = (name: string) => ({
  metadata: { name, ...at, labels: { app: 'bench' } },
  spec: {
    terminationGracePeriodSeconds: 0,
    domain: {
      memory: { guest: '64Mi' },
      devices: { disks: [{ name: 'root', disk: { bus: 'virtio' as const } }] },
    },
    volumes: [{ name: 'root', containerDisk: { image: 'vireo/boot-sector' } }],
  },
});

/** A whole Vireo and the one who asks it for VMs. */
class TestBed {
  readonly #cluster: StubCluster;
  readonly #vmis;
  readonly #awaited = new Map<string, () => void>();
  #made = 0;

  private constructor(cluster: StubCluster) {
    this.#cluster = cluster;
    this.#vmis = cluster.informers.for(Vmi);
    this.#vmis.on({
      updated: (_, { metadata: { name = '' }, status }) => {
        if (status?.phase !== 'Running') return;
        this.#awaited.get(name)?.();
        this.#awaited.delete(name);
      },
    });
  }

  static async start(home: string, nodes: number): Promise<TestBed> {
    const testBed = new TestBed(await startStubCluster(home, nodes));
    await testBed.#vmis.whenSynced();
    return testBed;
  }

  stop(): Promise<void> {
    return this.#cluster.stop();
  }

  async add(count: number, atOnce: number): Promise<Taken> {
    const latenciesMs: number[] = [];
    const last = this.#made + count;
    const [writes, cpu, startedAt] = [await this.#cluster.writes(), process.cpuUsage(), performance.now()];
    const one = async (): Promise<void> => {
      while (this.#made < last) latenciesMs.push(await this.#run(`vm-${this.#made++}`));
    };
    await Promise.all(Array.from({ length: Math.min(atOnce, count) }, one));
    const seconds = (performance.now() - startedAt) / 1000;
    const { user, system } = process.cpuUsage(cpu);
    const written = (await this.#cluster.writes()) - writes;
    return { seconds, cpuSeconds: (user + system) / 1e6, writes: written, latenciesMs };
  }

  async #run(name: string): Promise<number> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#awaited.set(name, resolve);
    const startedAt = performance.now();
    await this.#cluster.client.of(Vmi).create(vm(name));
    await promise;
    return performance.now() - startedAt;
  }

  async scrape(): Promise<number> {
    const taken: number[] = [];
    for (let round = 0; round < SCRAPES; round++) {
      const startedAt = performance.now();
      await this.#cluster.client.call({ method: 'GET', path: '/metrics' });
      taken.push(performance.now() - startedAt);
    }
    return taken.sort((a, b) => a - b)[SCRAPES >> 1] ?? 0;
  }

  async clear(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    const look = (): void => {
      if (this.#vmis.list().length === 0) resolve();
    };
    const end = this.#vmis.on({ deleted: look });
    const vmis = this.#cluster.client.of(Vmi);
    await Promise.all(this.#vmis.list().map(({ metadata }) => vmis.delete(metadata.name, at)));
    look();
    await promise;
    end();
  }
}

serveTasks(tasks);

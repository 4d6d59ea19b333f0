import { findCondition, isControlledBy, isDeleting, isReason, Namespace } from '@vireo/api';
import { Vm } from '@vireo/api/kinds/kubevirt/vm.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install } from '../install.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { poolDraft } from '../testing/pools.ts';
import { type Faults, noFaults, startSetController } from '../testing/setController.ts';
import { Pool } from './pool.ts';

let server: TestServer;
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true });
  await server.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
});
afterAll(() => server.close());

/** One pool, the faults that its controller meets, and how many VMs it may have created at most. */
class PoolUnderFaults {
  readonly name: string;
  readonly faults: Faults;
  wanted: number;
  /** How many VMs the pool had to create so far. */
  missing: number;
  #stop: () => Promise<void>;

  private constructor(name: string, wanted: number, faults: Faults, stop: () => Promise<void>) {
    this.name = name;
    this.wanted = wanted;
    this.missing = wanted;
    this.faults = faults;
    this.#stop = stop;
  }

  static async create(name: string, wanted: number): Promise<PoolUnderFaults> {
    const faults = noFaults();
    const autohealing = { startUpFailureThreshold: 1 };
    await server.client.of(Pool).create(poolDraft(name, wanted, { autohealing }));
    return new PoolUnderFaults(name, wanted, faults, await startSetController(server, faults, 'pools'));
  }

  object(): Promise<Pool> {
    return server.client.of(Pool).get(this.name, at);
  }

  /** The VMs of the pool, as the server has them. */
  async vms(): Promise<Vm[]> {
    const { items } = await server.client.of(Vm).list({ ...at, labelSelector: `pool=${this.name}` });
    const pool = await this.object();
    return items.filter((vm) => isControlledBy(vm, pool) && !isDeleting(vm));
  }

  /** Makes the pool lose one of its VMs. */
  async lose(index: number, how: (name: string) => Promise<unknown>): Promise<void> {
    const vms = await this.vms();
    const name = vms[index % Math.max(1, vms.length)]?.metadata.name;
    if (name === undefined) return;
    this.missing += 1;
    await how(name).catch((error: unknown) => {
      // The pool may have been quicker.
      if (!isReason(error, 'NotFound', 'Conflict')) throw error;
    });
  }

  async scale(wanted: number): Promise<void> {
    this.missing += Math.max(0, wanted - this.wanted);
    this.wanted = wanted;
    await server.client.of(Pool).patch(this.name, { spec: { replicas: wanted } }, merge);
  }

  /** Kills the controller after so many more writes; resolves when it is dead. */
  killAfter(writesToLive: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(this.faults, { writesToLive, onDeath: resolve });
    return promise;
  }

  /** Starts another controller in place of the first, dead or not. */
  async restart(): Promise<void> {
    await this.#stop();
    this.faults.writesToLive = Number.POSITIVE_INFINITY;
    this.#stop = await startSetController(server, this.faults, 'pools');
  }

  /** Ends all faults, and resolves when nothing is left to be done. */
  async settle(): Promise<void> {
    Object.assign(this.faults, { refuseCreates: false, refuseDeletes: false });
    if (this.faults.writesToLive < Number.POSITIVE_INFINITY) await this.restart();
    await expect
      .poll(
        async () => {
          const { status } = await this.object();
          const hasFailed = findCondition(status?.conditions, 'ReplicaFailure') !== undefined;
          return { vms: (await this.vms()).length, counted: status?.replicas, hasFailed };
        },
        { timeout: 30_000, interval: 10 },
      )
      .toEqual({ vms: this.wanted, counted: this.wanted, hasFailed: false });
  }

  /** Deletes everything that the next run would see. */
  async end(): Promise<void> {
    await server.client.of(Pool).delete(this.name, at);
    await expect.poll(() => server.client.of(Pool).find(this.name, at)).toBeUndefined();
    await this.#stop();
    await server.client.of(Vm).deleteCollection(at);
  }
}

/** Prints as its name in counterexamples. */
type Step = { run(pool: PoolUnderFaults): Promise<void>; [fc.toStringMethod](): string };
const vms = () => server.client.of(Vm);
const index = fc.nat(50);
const step = (name: string, run: Step['run']): Step => ({ run, [fc.toStringMethod]: () => name });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(12).map((wanted) => step(`scale to ${wanted}`, (pool) => pool.scale(wanted))),
  index.map((i) => step(`delete ${i}`, (pool) => pool.lose(i, (name) => vms().delete(name, at)))),
  index.map((i) =>
    step(`relabel ${i}`, (pool) =>
      pool.lose(i, (name) => vms().patch(name, { metadata: { labels: { pool: 'none' } } }, merge)),
    ),
  ),
  index.map((i) =>
    step(`${i} fails`, (pool) =>
      pool.lose(i, (name) => vms().patchStatus(name, { status: { startFailure: { consecutiveFailCount: 1 } } }, merge)),
    ),
  ),
  fc
    .tuple(fc.constantFrom('refuseCreates', 'refuseDeletes'), fc.boolean())
    .map(([what, is]) => step(`${what}: ${is}`, async ({ faults }) => void Object.assign(faults, { [what]: is }))),
  fc.nat(6).map((writes) => step(`die after ${writes} writes`, async (pool) => void pool.killAfter(writes))),
  fc.constant(step('restart', (pool) => pool.restart())),
  fc.constant(step('settle', (pool) => pool.settle())),
);

describe('a pool under any faults', () => {
  it('ends with exactly as many VMs as it wants, and never creates more than were missing', async () => {
    let runs = 0;
    const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 10 });
    await fc.assert(
      fc.asyncProperty(fc.nat(8), anySteps, async (wanted, steps) => {
        runs += 1;
        const pool = await PoolUnderFaults.create(`pool-${runs}`, wanted);
        try {
          for (const each of steps) await each.run(pool);
          await pool.settle();
          expect(pool.faults.created).toBeLessThanOrEqual(pool.missing);
        } finally {
          await pool.settle();
          await pool.end();
        }
      }),
      { numRuns: 20, endOnFailure: true },
    );
  }, 120_000);

  it.each([1, 2, 9, 60])(
    'a controller killed after %i writes of two hundred leaves the rest to the next',
    async (writes) => {
      const pool = await PoolUnderFaults.create(`killed-${writes}`, 0);
      await pool.settle();
      const dead = pool.killAfter(writes);
      await pool.scale(200);
      await dead;
      await pool.settle();
      expect(pool.faults.created).toBe(200);
      await pool.scale(0);
      const again = pool.killAfter(writes);
      await again;
      await pool.settle();
      await pool.end();
    },
  );
});

import { isReason, Namespace } from '@vireo/api';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findCondition } from '../conditions.ts';
import { install } from '../install.ts';
import { isControlledBy, isDeleting, isFinal, Vmi } from '../kinds.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { type Faults, noFaults, startSetController } from '../testing/setController.ts';
import { replicaSet } from '../testing/sets.ts';
import { ReplicaSet } from './set.ts';

let server: TestServer;
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true });
  await server.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
});
afterAll(() => server.close());

/** One set, what its controller suffers, and what may at most have been missing so far. */
class World {
  readonly #name: string;
  readonly #stop: { controller: () => Promise<void> };
  readonly faults: Faults = noFaults();
  wanted: number;
  /** Every instance that the set had to create, if it created none too many. */
  missing: number;

  private constructor(name: string, wanted: number, controller: () => Promise<void>, faults: Faults) {
    this.#name = name;
    this.wanted = wanted;
    this.missing = wanted;
    this.faults = faults;
    this.#stop = { controller };
  }

  static async create(name: string, wanted: number): Promise<World> {
    const faults = noFaults();
    await server.client.of(ReplicaSet).create(replicaSet(name, wanted));
    return new World(name, wanted, await startSetController(server, faults), faults);
  }

  set(): Promise<ReplicaSet> {
    return server.client.of(ReplicaSet).get(this.#name, at);
  }

  /** Those that the set counts, by the server's word. */
  async active(): Promise<Vmi[]> {
    const { items } = await server.client.of(Vmi).list({ ...at, labelSelector: `set=${this.#name}` });
    const set = await this.set();
    return items.filter((vmi) => isControlledBy(vmi, set) && !isDeleting(vmi) && !isFinal(vmi));
  }

  /** Does something to one of its instances, which the set then lacks. */
  async lose(index: number, how: (name: string) => Promise<unknown>): Promise<void> {
    const vmis = await this.active();
    const name = vmis[index % Math.max(1, vmis.length)]?.metadata.name;
    if (name === undefined) return;
    this.missing += 1;
    await how(name).catch((error: unknown) => {
      // The set may have been quicker.
      if (!isReason(error, 'NotFound', 'Conflict')) throw error;
    });
  }

  async scale(wanted: number): Promise<void> {
    this.missing += Math.max(0, wanted - this.wanted);
    this.wanted = wanted;
    await server.client.of(ReplicaSet).patch(this.#name, { spec: { replicas: wanted } }, merge);
  }

  async addStray(): Promise<void> {
    const { template } = replicaSet(this.#name, 1).spec;
    if (!template.spec) return;
    const metadata = { generateName: 'stray-', ...at, labels: { set: this.#name } };
    await server.client.of(Vmi).create({ metadata, spec: template.spec });
  }

  /** Kills the controller after so many more writes; resolves when it is dead. */
  doom(writesToLive: number): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    Object.assign(this.faults, { writesToLive, onDeath: resolve });
    return promise;
  }

  /** Starts another controller in place of the first, dead or not. */
  async restart(): Promise<void> {
    await this.#stop.controller();
    this.faults.writesToLive = Number.POSITIVE_INFINITY;
    this.#stop.controller = await startSetController(server, this.faults);
  }

  /** Resolves when nothing is left to be done, with faults out of the way. */
  async settle(): Promise<void> {
    Object.assign(this.faults, { refuseCreates: false, refuseDeletes: false });
    if (this.faults.writesToLive < Number.POSITIVE_INFINITY) await this.restart();
    await expect
      .poll(
        async () => {
          const { status } = await this.set();
          const hasFailed = findCondition(status?.conditions, 'ReplicaFailure') !== undefined;
          return { active: (await this.active()).length, counted: status?.replicas, hasFailed };
        },
        { timeout: 20_000, interval: 10 },
      )
      .toEqual({ active: this.wanted, counted: this.wanted, hasFailed: false });
  }

  /** Leaves nothing behind that the next world would have to look at. */
  async end(): Promise<void> {
    await this.#stop.controller();
    await server.client.of(ReplicaSet).delete(this.#name, at);
    const { items } = await server.client.of(Vmi).list(at);
    const gone = (error: unknown) => {
      if (!isReason(error, 'NotFound')) throw error;
    };
    await Promise.all(
      items.map(async ({ metadata: { name = '' } }) => {
        await vmis()
          .patch(name, { metadata: { finalizers: null } }, merge)
          .catch(gone);
        await vmis().delete(name, at).catch(gone);
      }),
    );
  }
}

/** Prints as its name in counterexamples. */
type Step = { run(world: World): Promise<void>; [fc.toStringMethod](): string };
const vmis = () => server.client.of(Vmi);
const index = fc.nat(50);
const step = (name: string, run: Step['run']): Step => ({ run, [fc.toStringMethod]: () => name });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(12).map((wanted) => step(`scale to ${wanted}`, (world) => world.scale(wanted))),
  index.map((i) => step(`delete ${i}`, (world) => world.lose(i, (name) => vmis().delete(name, at)))),
  fc
    .tuple(index, fc.constantFrom('Succeeded', 'Failed'))
    .map(([i, phase]) =>
      step(`${i} has ${phase}`, (world) => world.lose(i, (name) => vmis().patch(name, { status: { phase } }, merge))),
    ),
  index.map((i) =>
    step(`relabel ${i}`, (world) =>
      world.lose(i, (name) => vmis().patch(name, { metadata: { labels: { set: 'none' } } }, merge)),
    ),
  ),
  fc.constant(step('a stray comes', (world) => world.addStray())),
  fc
    .tuple(fc.constantFrom('refuseCreates', 'refuseDeletes'), fc.boolean())
    .map(([what, is]) => step(`${what}: ${is}`, async ({ faults }) => void Object.assign(faults, { [what]: is }))),
  fc.nat(6).map((writes) => step(`die after ${writes} writes`, async (world) => void world.doom(writes))),
  fc.constant(step('restart', (world) => world.restart())),
  fc.constant(step('settle', (world) => world.settle())),
);

describe('whatever happens', () => {
  it('a set ends with exactly as many as it wants, and never creates more than was missing', async () => {
    let runs = 0;
    const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.nat(8), anySteps, async (wanted, steps) => {
        runs += 1;
        const world = await World.create(`set-${runs}`, wanted);
        try {
          for (const each of steps) await each.run(world);
          await world.settle();
          expect(world.faults.created).toBeLessThanOrEqual(world.missing);
        } finally {
          await world.end();
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  }, 120_000);
});

describe('refusals', () => {
  const failure = async (world: World) => findCondition((await world.set()).status?.conditions, 'ReplicaFailure');

  it('of creates are told, tried again after a while, and forgotten when over', async () => {
    const world = await World.create('no-creates', 0);
    world.faults.refuseCreates = true;
    await world.scale(200);
    await expect
      .poll(() => failure(world))
      .toMatchObject({
        status: 'True',
        reason: 'FailedCreate',
        message: expect.stringContaining('no more of them'),
      });
    await world.settle();
    expect(world.faults.created).toBe(200);
    await world.end();
  });

  it('of deletes are told, tried again after a while, and forgotten when over', async () => {
    const world = await World.create('no-deletes', 3);
    await world.settle();
    world.faults.refuseDeletes = true;
    await world.scale(1);
    await expect
      .poll(() => failure(world))
      .toMatchObject({
        status: 'True',
        reason: 'FailedDelete',
        message: expect.stringContaining('they stay'),
      });
    expect(await world.active()).toHaveLength(3);
    await world.settle();
    await world.end();
  });

  it.each([1, 2, 9, 60])(
    'a controller killed after %i writes of two hundred leaves the rest to the next',
    async (writes) => {
      const world = await World.create(`killed-${writes}`, 0);
      await world.settle();
      const dead = world.doom(writes);
      await world.scale(200);
      await dead;
      await world.settle();
      expect(world.faults.created).toBe(200);
      await world.end();
    },
  );
});

import { findCondition, isControlledBy, isDeleting, isReason, Namespace } from '@vireo/api';
import { isFinal, Vmi } from '@vireo/api/kinds/kubevirt/vmi.ts';
import { startTestServer, type TestServer } from '@vireo/apiserver/testing/server.ts';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { install } from '../install.ts';
import { NAMESPACE } from '../testing/cluster.ts';
import { type Faults, noFaults, startSetController } from '../testing/setController.ts';
import { replicaSet } from '../testing/sets.ts';
import { ReplicaSet } from './replicaSet.ts';

let server: TestServer;
const at = { namespace: NAMESPACE };
const merge = { ...at, type: 'merge' } as const;

beforeAll(async () => {
  server = await startTestServer();
  await install(server.client, { useEmulation: true });
  await server.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
});
afterAll(() => server.close());

/** One set, the faults that its controller meets, and how many VMIs it may have created at most. */
class SetUnderFaults {
  readonly #name: string;
  readonly #stop: { controller: () => Promise<void> };
  readonly faults: Faults = noFaults();
  wanted: number;
  /** How many VMIs the set had to create so far. */
  missing: number;

  private constructor(name: string, wanted: number, controller: () => Promise<void>, faults: Faults) {
    this.#name = name;
    this.wanted = wanted;
    this.missing = wanted;
    this.faults = faults;
    this.#stop = { controller };
  }

  static async create(name: string, wanted: number): Promise<SetUnderFaults> {
    const faults = noFaults();
    await server.client.of(ReplicaSet).create(replicaSet(name, wanted));
    return new SetUnderFaults(name, wanted, await startSetController(server, faults), faults);
  }

  object(): Promise<ReplicaSet> {
    return server.client.of(ReplicaSet).get(this.#name, at);
  }

  /** The active replicas, as the server has them. */
  async active(): Promise<Vmi[]> {
    const { items } = await server.client.of(Vmi).list({ ...at, labelSelector: `set=${this.#name}` });
    const set = await this.object();
    return items.filter((vmi) => isControlledBy(vmi, set) && !isDeleting(vmi) && !isFinal(vmi));
  }

  /** Makes the set lose one of its VMIs. */
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

  async addOrphan(): Promise<void> {
    const { template } = replicaSet(this.#name, 1).spec;
    if (!template.spec) return;
    const metadata = { generateName: 'orphan-', ...at, labels: { set: this.#name } };
    await server.client.of(Vmi).create({ metadata, spec: template.spec });
  }

  /** Kills the controller after so many more writes; resolves when it is dead. */
  killAfter(writesToLive: number): Promise<void> {
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

  /** Ends all faults, and resolves when nothing is left to be done. */
  async settle(): Promise<void> {
    Object.assign(this.faults, { refuseCreates: false, refuseDeletes: false });
    if (this.faults.writesToLive < Number.POSITIVE_INFINITY) await this.restart();
    await expect
      .poll(
        async () => {
          const { status } = await this.object();
          const hasFailed = findCondition(status?.conditions, 'ReplicaFailure') !== undefined;
          return { active: (await this.active()).length, counted: status?.replicas, hasFailed };
        },
        { timeout: 20_000, interval: 10 },
      )
      .toEqual({ active: this.wanted, counted: this.wanted, hasFailed: false });
  }

  /** Deletes everything that the next run would see. */
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
type Step = { run(set: SetUnderFaults): Promise<void>; [fc.toStringMethod](): string };
const vmis = () => server.client.of(Vmi);
const index = fc.nat(50);
const step = (name: string, run: Step['run']): Step => ({ run, [fc.toStringMethod]: () => name });
const anyStep: fc.Arbitrary<Step> = fc.oneof(
  fc.nat(12).map((wanted) => step(`scale to ${wanted}`, (set) => set.scale(wanted))),
  index.map((i) => step(`delete ${i}`, (set) => set.lose(i, (name) => vmis().delete(name, at)))),
  fc
    .tuple(index, fc.constantFrom('Succeeded', 'Failed'))
    .map(([i, phase]) =>
      step(`${i} has ${phase}`, (set) => set.lose(i, (name) => vmis().patch(name, { status: { phase } }, merge))),
    ),
  index.map((i) =>
    step(`relabel ${i}`, (set) =>
      set.lose(i, (name) => vmis().patch(name, { metadata: { labels: { set: 'none' } } }, merge)),
    ),
  ),
  fc.constant(step('add an orphan', (set) => set.addOrphan())),
  fc
    .tuple(fc.constantFrom('refuseCreates', 'refuseDeletes'), fc.boolean())
    .map(([what, is]) => step(`${what}: ${is}`, async ({ faults }) => void Object.assign(faults, { [what]: is }))),
  fc.nat(6).map((writes) => step(`die after ${writes} writes`, async (set) => void set.killAfter(writes))),
  fc.constant(step('restart', (set) => set.restart())),
  fc.constant(step('settle', (set) => set.settle())),
);

describe('a set under any faults', () => {
  it('ends with exactly as many VMIs as it wants, and never creates more than were missing', async () => {
    let runs = 0;
    const anySteps = fc.array(anyStep, { minLength: 1, maxLength: 12 });
    await fc.assert(
      fc.asyncProperty(fc.nat(8), anySteps, async (wanted, steps) => {
        runs += 1;
        const set = await SetUnderFaults.create(`set-${runs}`, wanted);
        try {
          for (const each of steps) await each.run(set);
          await set.settle();
          expect(set.faults.created).toBeLessThanOrEqual(set.missing);
        } finally {
          await set.end();
        }
      }),
      { numRuns: 40, endOnFailure: true },
    );
  }, 120_000);
});

describe('a refusal', () => {
  const failure = async (set: SetUnderFaults) =>
    findCondition((await set.object()).status?.conditions, 'ReplicaFailure');

  it('of creates is a condition, is retried with back-off, and is gone when it is over', async () => {
    const set = await SetUnderFaults.create('no-creates', 0);
    set.faults.refuseCreates = true;
    await set.scale(200);
    await expect
      .poll(() => failure(set))
      .toMatchObject({
        status: 'True',
        reason: 'FailedCreate',
        message: expect.stringContaining('no more of them'),
      });
    await set.settle();
    expect(set.faults.created).toBe(200);
    await set.end();
  });

  it('of deletes is a condition, is retried with back-off, and is gone when it is over', async () => {
    const set = await SetUnderFaults.create('no-deletes', 3);
    await set.settle();
    set.faults.refuseDeletes = true;
    await set.scale(1);
    await expect
      .poll(() => failure(set))
      .toMatchObject({
        status: 'True',
        reason: 'FailedDelete',
        message: expect.stringContaining('they stay'),
      });
    expect(await set.active()).toHaveLength(3);
    await set.settle();
    await set.end();
  });

  it.each([1, 2, 9, 60])(
    'a controller killed after %i writes of two hundred leaves the rest to the next',
    async (writes) => {
      const set = await SetUnderFaults.create(`killed-${writes}`, 0);
      await set.settle();
      const dead = set.killAfter(writes);
      await set.scale(200);
      await dead;
      await set.settle();
      expect(set.faults.created).toBe(200);
      await set.end();
    },
  );
});

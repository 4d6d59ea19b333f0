import { setTimeout as delay } from 'node:timers/promises';
import { leftoversOf } from '../e2e/machines/leftovers.ts';
import { ACTIONS, attempt, createHerd } from './actions.ts';
import { FAULTS } from './blows.ts';
import { Doubles } from './doubles.ts';
import { History } from './history.ts';
import { acknowledged, lookAround, type Scene, unexplained, unrest } from './invariants.ts';
import { Ledger, type Outcome } from './ledger.ts';
import { at, machineName, VirtualMachine, VirtualMachineInstanceReplicaSet } from './objects.ts';
import { type PlanOptions, planRound, type Round } from './plan.ts';
import type { World } from './world.ts';

/** How long everything may take to come to rest after a round. */
const REST_MS = 120_000;
const LOOK_MS = 250;

/** How a round went. */
export interface Report {
  readonly round: Round;
  readonly outcomes: Readonly<Record<Outcome, number>>;
  /** From the end of the round until everything was as it should be. */
  readonly restMs: number;
  readonly problems: readonly string[];
  /** What users asked for, with the answers, in the order of these. */
  readonly journal: readonly string[];
}

export interface StormOptions {
  readonly plan: PlanOptions;
  readonly rounds: number;
  /** No round begins after that. */
  readonly deadlineMs?: number;
  onReport(report: Report): unknown;
}

/** Round after round of users and faults on one world. Ends with the first round that shows a problem. */
export async function storm(world: World, options: StormOptions, signal: AbortSignal): Promise<readonly string[]> {
  const ledger = new Ledger();
  const history = new History(world);
  const doubles = new Doubles(world.home);
  await attempt(createHerd, world.client, ledger);
  for (let index = 0; index < options.plan.machines; index++)
    await attempt(ACTIONS.create!(machineName(index), 0), world.client, ledger);
  await history.start();
  doubles.start();
  try {
    for (let number = 1; number <= options.rounds && !signal.aborted; number++) {
      if (options.deadlineMs !== undefined && Date.now() > options.deadlineMs) break;
      const round = planRound(number, options.plan);
      const outcomes = await play(world, round, ledger);
      await world.ensure();
      const restFrom = Date.now();
      const journal = ledger.takeJournal();
      const first = acknowledged(await look(world), ledger);
      const { problems, scene } = await rest(world);
      const all = [...first, ...problems, ...unexplained(scene), ...doubles.problems(), ...(await history.problems())];
      options.onReport({ round, outcomes, restMs: Date.now() - restFrom, problems: all, journal });
      if (all.length > 0) return all;
    }
    return await clear(world);
  } finally {
    await Promise.all([history.stop(), doubles.stop()]);
  }
}

/** Users and faults, each at its moment; what users do with one machine happens one after the other. */
async function play(world: World, { steps, blows }: Round, ledger: Ledger): Promise<Record<Outcome, number>> {
  const outcomes = { acknowledged: 0, refused: 0, unknown: 0 };
  const turns = new Map<string, Promise<void>>();
  const users = steps.map(async ({ atMs, action, machine, dice }) => {
    await delay(atMs);
    const request = ACTIONS[action]!(machineName(machine), dice);
    const turn = (turns.get(request.name) ?? Promise.resolve()).then(async () => {
      outcomes[await attempt(request, world.client, ledger)]++;
    });
    turns.set(request.name, turn);
    await turn;
  });
  const faults = blows.map(async (blow) => {
    await delay(blow.atMs);
    await FAULTS[blow.fault]!(world, blow, ledger);
  });
  await Promise.all([...users, ...faults]);
  return outcomes;
}

/** Waits until nothing is amiss; what still is after a while stays so. */
async function rest(world: World): Promise<{ problems: string[]; scene: Scene }> {
  const until = Date.now() + REST_MS;
  for (;;) {
    const scene = await look(world);
    const problems = unrest(scene);
    if (problems.length === 0 || Date.now() > until) return { problems, scene };
    await delay(LOOK_MS);
  }
}

/** Server and libvirtd may be on their way up; throws when one of them stays away. */
async function look(world: World): Promise<Scene> {
  const until = Date.now() + REST_MS;
  for (;;) {
    try {
      return await lookAround(world);
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(LOOK_MS);
    }
  }
}

/** Everything is deleted; nothing may stay of it. */
async function clear(world: World): Promise<string[]> {
  const { client } = world;
  await client.of(VirtualMachineInstanceReplicaSet).deleteCollection(at);
  await client.of(VirtualMachine).deleteCollection(at);
  const until = Date.now() + REST_MS;
  for (;;) {
    const { machines, instances, pods } = await look(world);
    const objects = [...machines, ...instances, ...pods].map(({ kind, metadata }) => `${kind} ${metadata.name}`);
    const left = Object.entries(await leftoversOf(world.home)).map(([what, names]) => `${what}: ${names.join(', ')}`);
    const problems = [...objects, ...left].map((each) => `left behind: ${each}`);
    if (problems.length === 0 || Date.now() > until) return problems;
    await delay(LOOK_MS);
  }
}

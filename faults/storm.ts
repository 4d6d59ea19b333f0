import { setTimeout as delay } from 'node:timers/promises';
import type { Kind, KubeObject } from '@vireo/api';
import { leftoversOf } from '../e2e/vms/leftovers.ts';
import { ACTIONS, attempt, FIRST } from './actions.ts';
import { unexplained, unexplainedVm, unexplainedVmi } from './causes.ts';
import { Doubles } from './doubles.ts';
import { History } from './history.ts';
import { FAULTS } from './injections.ts';
import { learn, lost, unrest } from './invariants.ts';
import { Ledger, type Outcome } from './ledger.ts';
import { NetworkMemory, wrongNetwork } from './network/invariants.ts';
import { NetworkPolicy, Service } from './network/objects.ts';
import {
  at,
  DataVolume,
  VirtualMachine,
  VirtualMachineInstance,
  VirtualMachineInstanceReplicaSet,
  VirtualMachineRestore,
  VirtualMachineSnapshot,
  vmName,
} from './objects.ts';
import { orphans } from './orphans.ts';
import { type PlanOptions, planRound, type Round } from './plan.ts';
import { lookAround, type Scene } from './scene.ts';
import type { TestBed } from './testBed.ts';

/** How long everything may take to come to rest after a round. */
const REST_MS = 120_000;
const POLL_MS = 250;

/** How a round went. */
export interface Report {
  readonly round: Round;
  /** How the requests of each action ended. */
  readonly outcomes: Readonly<Record<string, Readonly<Record<Outcome, number>>>>;
  /** From the end of the round until everything was as it should be. */
  readonly restMs: number;
  /** What had to be waited for last; empty when all was well at once. */
  readonly waitedFor: readonly string[];
  readonly problems: readonly string[];
  /** What users asked for, with the answers, in the order of these. */
  readonly journal: readonly string[];
  /** Of all watches, since the beginning. */
  readonly watches: { readonly events: number; readonly resumed: number; readonly relisted: number };
}

export interface StormOptions {
  readonly plan: PlanOptions;
  readonly rounds: number;
  /** No round begins after that. */
  readonly deadlineMs?: number;
  onReport(report: Report): unknown;
}

/**
 * Round after round of users and faults on one test bed. Ends with the first round that shows a problem; rejects when
 * `signal` aborts.
 */
export async function storm(testBed: TestBed, options: StormOptions, signal: AbortSignal): Promise<readonly string[]> {
  const ledger = new Ledger();
  const histories = [
    new History(testBed, VirtualMachine, unexplainedVm),
    new History(testBed, VirtualMachineInstance, unexplainedVmi),
    new History(testBed, VirtualMachineInstanceReplicaSet),
    new History(testBed, VirtualMachineSnapshot),
    new History(testBed, VirtualMachineRestore),
  ];
  const doubles = new Doubles(testBed.home);
  const memory = new NetworkMemory();
  const hasDisks = testBed.ground === 'real';
  for (const each of FIRST) await attempt(each, testBed, ledger, signal);
  for (let index = 0; index < options.plan.vms; index++)
    await attempt(ACTIONS.create!({ name: vmName(index), dice: 0, hasDisks }), testBed, ledger, signal);
  for (const history of histories) await history.start();
  doubles.start();
  memory.changes(await look(testBed, signal));
  try {
    for (let number = 1; number <= options.rounds; number++) {
      if (options.deadlineMs !== undefined && Date.now() > options.deadlineMs) break;
      const round = planRound(number, options.plan);
      const outcomes = await play(testBed, round, ledger, signal);
      await testBed.ensure();
      const restFrom = Date.now();
      const journal = ledger.takeJournal();
      const first = lost(await look(testBed, signal), ledger);
      const { problems, scene, waitedFor } = await rest(testBed, signal);
      const restMs = Date.now() - restFrom;
      const later = lost(scene, ledger);
      learn(scene, ledger);
      const seen = (await Promise.all(histories.map((history) => history.problems()))).flat();
      const all = [
        ...new Set([
          ...[...first, ...later, ...problems, ...memory.changes(scene)],
          ...[...unexplained(scene), ...doubles.problems(), ...seen],
        ]),
      ];
      options.onReport({ round, outcomes, restMs, waitedFor, problems: all, journal, watches: total(histories) });
      if (all.length > 0) return all;
    }
    return await clear(testBed, signal);
  } finally {
    await Promise.all([...histories.map((history) => history.stop()), doubles.stop()]);
  }
}

const total = (histories: readonly Pick<History<never>, 'counts'>[]): Report['watches'] => {
  const sum = (of: keyof Report['watches']): number => histories.reduce((all, { counts }) => all + counts[of], 0);
  return { events: sum('events'), resumed: sum('resumed') - histories.length, relisted: sum('relisted') };
};

/** Users and faults, each at its moment; what users do with one VM happens one after the other. */
async function play(
  testBed: TestBed,
  { steps, injections }: Round,
  ledger: Ledger,
  signal: AbortSignal,
): Promise<Report['outcomes']> {
  const outcomes: Record<string, Record<Outcome, number>> = {};
  const turns = new Map<string, Promise<void>>();
  const hasDisks = testBed.ground === 'real';
  const users = steps.map(async ({ atMs, action, vm, dice }) => {
    await delay(atMs);
    const request = ACTIONS[action]!({ name: vmName(vm), dice, hasDisks });
    const turn = (turns.get(request.about) ?? Promise.resolve()).then(async () => {
      if (signal.aborted) return;
      outcomes[action] ??= { acknowledged: 0, refused: 0, unknown: 0 };
      outcomes[action][await attempt(request, testBed, ledger, signal)]++;
    });
    turns.set(request.about, turn);
    await turn;
  });
  const faults = injections.map(async (injection) => {
    await delay(injection.atMs);
    if (signal.aborted) return;
    await FAULTS[injection.fault]!(testBed, injection, ledger);
    ledger.write(`${injection.fault} for ${injection.forMs} ms is over`);
  });
  await Promise.all([...users, ...faults]);
  return outcomes;
}

/** Waits until nothing is amiss; what still is after a while stays so. */
async function rest(
  testBed: TestBed,
  signal: AbortSignal,
): Promise<{ problems: string[]; scene: Scene; waitedFor: string[] }> {
  const until = Date.now() + REST_MS;
  for (let waitedFor: string[] = []; ; ) {
    const scene = await look(testBed, signal);
    const problems = unrest(scene);
    if (problems.length === 0 || Date.now() > until) return { problems, scene, waitedFor };
    waitedFor = problems;
    await delay(POLL_MS);
  }
}

/** Server and libvirtd may be on their way up; throws when one of them stays away. */
async function look(testBed: TestBed, signal: AbortSignal): Promise<Scene> {
  const until = Date.now() + REST_MS;
  for (;;) {
    // Who ends the storm from a terminal ends the server as well: nobody would answer any more.
    signal.throwIfAborted();
    try {
      return await lookAround(testBed);
    } catch (error) {
      if (Date.now() > until) throw error;
      await delay(POLL_MS);
    }
  }
}

/** Everything is deleted; nothing may stay of it. */
async function clear(testBed: TestBed, signal: AbortSignal): Promise<string[]> {
  const { client } = testBed;
  const kinds = [
    VirtualMachineInstanceReplicaSet,
    VirtualMachineRestore,
    VirtualMachineSnapshot,
    VirtualMachine,
    DataVolume,
    Service,
    NetworkPolicy,
  ];
  for (const kind of kinds) await client.of<KubeObject>(kind as Kind<never>).deleteCollection(at);
  const until = Date.now() + REST_MS;
  for (;;) {
    const scene = await look(testBed, signal);
    const { vms, vmis, pods, snapshots, restores, dataVolumes, claims } = scene;
    const objects = [...vms, ...vmis, ...pods, ...snapshots, ...restores, ...dataVolumes, ...claims];
    const left = Object.entries(await leftoversOf(testBed.home)).map(([what, names]) => `${what}: ${names.join(', ')}`);
    const problems = [
      ...[...objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`), ...left].map(
        (each) => `left behind: ${each}`,
      ),
      ...orphans(scene),
      ...wrongNetwork(scene),
    ];
    if (problems.length === 0 || Date.now() > until) return problems;
    await delay(POLL_MS);
  }
}

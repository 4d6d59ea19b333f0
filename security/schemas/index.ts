import { Random } from '../../faults/random.ts';
import type { Case } from '../../oracle/case.ts';
import { compileCase, evaluationCase, randomExpressions, refusedIndexes } from '../../oracle/generators/celCase.ts';
import { randomApplyCase, randomCrdCase, randomObjectCase } from '../../oracle/generators/sequence.ts';
import { play } from '../../oracle/play.ts';
import type { PlayedServer } from '../../oracle/servers/server.ts';
import { Bystander, servedBy } from '../exhaustion/bystander.ts';
import type { Ground } from '../ground.ts';
import { innerErrors } from '../innerErrors.ts';
import { inTurns } from '../inTurns.ts';
import type { Part, Trial } from '../part.ts';
import type { Wire } from '../wire.ts';
import { hostileApplies, hostileBuiltInApplies } from './applies.ts';
import { HEAVY_NAMES, heavyCase } from './heavy.ts';
import { judged } from './judge.ts';
import { hostileRules, mutatedCrd, mutatedSchema } from './kinds.ts';
import { hostilePolicy } from './policies.ts';

const ROUNDS = 40;
const CASES_PER_ROUND = 60;
/** What others may have to wait for while rules are compiled and run, and what the server may take for it. */
const MOST = { waitMs: 2000, memoryBytes: 1 << 30 };

type Maker = (random: Random) => Case;
type Player = (server: PlayedServer, random: Random, group: string) => Promise<void>;

const played =
  (make: Maker): Player =>
  async (server, random, group) =>
    void (await play(server, make(random), group));

/** What a case is one of; those that find most come more often. */
const PLAYERS: readonly Player[] = [
  played((random) => randomCrdCase(random, '')),
  played((random) => randomObjectCase(random, '')),
  played((random) => randomApplyCase(random, '')),
  playExpressions,
  ...[mutatedCrd, mutatedSchema, mutatedSchema, hostileRules, hostilePolicy, hostilePolicy].map(played),
  ...[hostileApplies, hostileApplies, hostileBuiltInApplies, hostileBuiltInApplies].map(played),
];

/** A CRD is refused as a whole for one expression, so those that compile are tried again without the others. */
async function playExpressions(server: PlayedServer, random: Random, group: string): Promise<void> {
  const expressions = randomExpressions(random);
  const [answer] = await play(server, compileCase('', expressions), group);
  const refused = refusedIndexes(answer?.body);
  await play(
    server,
    evaluationCase(
      '',
      expressions.filter((_, index) => !refused.has(index)),
    ),
    group,
  );
}

export const schemas: Part = {
  name: 'schemas',
  about: 'random schemas, rules, policies and applies: never a 500, a crash, a hang or an answer without end',
  async run(ground, trial) {
    const wire = ground.wire(ground.admin);
    const bystander = new Bystander(servedBy(ground));
    try {
      const heavy = trial.isShort ? HEAVY_NAMES.slice(0, 2) : HEAVY_NAMES;
      for (const name of heavy) {
        const player = played((random) => heavyCase(name, random));
        await round(ground, trial, bystander, name, [() => playOne(ground, wire, trial, name, 0, player)]);
      }
      let number = 0;
      for (let turn = 0; turn < (trial.isShort ? 1 : ROUNDS) && !trial.isOver; turn++) {
        const cases = Array.from({ length: trial.isShort ? 12 : CASES_PER_ROUND }, () => {
          const [seed, player] = [trial.random.between(0, 2 ** 31), trial.random.pick(PLAYERS)];
          return () => playOne(ground, wire, trial, `case ${++number} (${seed})`, seed, player);
        });
        await round(ground, trial, bystander, `round ${turn + 1}`, cases);
        if (turn % 5 === 4) trial.progress(`${number} cases, ${trial.checks} answers`);
      }
      trial.progress(`${heavy.length + number} cases, ${trial.checks} answers`);
    } finally {
      await bystander.leave();
    }
  },
};

async function round(
  ground: Ground,
  trial: Trial,
  bystander: Bystander,
  name: string,
  cases: readonly (() => Promise<void>)[],
): Promise<void> {
  const logged = ground.output().length;
  await inTurns(cases, (each) => each());
  for (const problem of await bystander.problem(name, MOST)) trial.check(problem);
  trial.check(await ground.problem());
  trial.check(innerErrors(ground.output().slice(logged)));
}

let groups = 0;

async function playOne(
  ground: Ground,
  wire: Wire,
  trial: Trial,
  label: string,
  seed: number,
  player: Player,
): Promise<void> {
  const server = judged(ground, wire, trial, () => label);
  await player(server, new Random(seed), `fuzz${++groups}.example.com`);
}

import { Namespace } from '@vireo/api';
import type { Ground } from '../ground.ts';
import { innerErrors } from '../innerErrors.ts';
import { inTurns } from '../inTurns.ts';
import type { Part, Trial } from '../part.ts';
import { discoverRoutes, type Route } from '../routes.ts';
import { NoAnswer, type Wire } from '../wire.ts';
import { rawConnections } from './raw.ts';
import { type HostileRequest, hostileRequest, NAMESPACE } from './requests.ts';
import { verdict } from './verdict.ts';

const SLOW_MS = 8000;
/** How often every route is tried, where time allows. */
const ROUNDS = 20;

export const routes: Part = {
  name: 'routes',
  about: 'random input to every route: never a 500, a crash, a hang or internals in a response',
  async run(ground, trial) {
    await ground.client.of(Namespace).create({ metadata: { name: NAMESPACE } });
    const found = await discoverRoutes(ground.wire(ground.admin));
    trial.progress(`${found.length} routes`);
    const wires = [
      ground.wire(ground.admin),
      ground.wire(ground.certificateOf('nobody')),
      ground.wire({ ca: ground.ca }),
    ];
    for (let round = 0; round < (trial.isShort ? 1 : ROUNDS) && !trial.isOver; round++) {
      const tried = trial.isShort ? found.filter(() => trial.random.next() < 0.25) : found;
      const logged = ground.output().length;
      await inTurns(tried, (route) => tryOne(ground, route, pickWire(wires, trial), trial));
      trial.check(await ground.problem());
      trial.check(innerErrors(ground.output().slice(logged)));
      if (round % 5 === 4) trial.progress(`${trial.checks} requests`);
    }
    await rawConnections(ground, trial);
    trial.check(await ground.problem());
  },
};

/** Mostly the administrator, who gets furthest. */
const pickWire = ([administrator, ...others]: readonly Wire[], { random }: Trial): Wire =>
  random.next() < 0.85 ? administrator! : random.pick(others);

async function tryOne(ground: Ground, route: Route, wire: Wire, trial: Trial): Promise<void> {
  const request = hostileRequest(trial.random, route);
  const name = describe(request);
  const startedAt = performance.now();
  try {
    // Whatever goes on for ever has begun with its headers.
    const answer = await wire.send(request, { headersOnly: /watch/i.test(unescaped(request.path)) });
    const problem = verdict(answer, request.path, ground.home) ?? slowness(performance.now() - startedAt, trial);
    trial.check(problem && `${name} ${problem}`);
  } catch (error) {
    if (!(error instanceof NoAnswer)) throw error;
    // Nonsense below HTTP may be cut off; a server that does not answer any more shows at the end of the round.
    trial.check(/no (end of the )?answer/.test(error.message) ? `${name}: ${error.message}` : undefined);
  }
}

/** Somebody waits for something that will not come; a short round, among other tests, may wait for the host. */
const slowness = (ms: number, { isShort }: Trial): string | undefined =>
  ms > SLOW_MS && !isShort ? `was answered after ${Math.round(ms)} ms` : undefined;

const describe = ({ method, path, label, headers }: HostileRequest): string =>
  `${method} ${path.slice(0, 300)} ${label} ${JSON.stringify(headers).slice(0, 200)}`;

/** As a server reads it, where it can. */
const unescaped = (path: string): string =>
  path.replace(/%([0-9a-f]{2})/gi, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));

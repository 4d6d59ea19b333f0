import type { Result } from '../report.ts';
import { kubernetes } from '../servers/kubernetes.ts';
import { vireo } from '../servers/vireo.ts';
import { Bench } from './bench.ts';
import { creates } from './creates.ts';
import { FilledHomes } from './filledHomes.ts';
import { gets } from './gets.ts';
import { lists } from './lists.ts';
import { memory } from './memory.ts';
import { patches } from './patches.ts';
import type { Plan } from './plan.ts';
import { rules } from './rules.ts';
import { startUp } from './startUp.ts';
import { watches } from './watches.ts';

/** In the order in which they are run and reported. */
export const MEASUREMENTS: Readonly<Record<string, (bench: Bench) => Promise<Result[]>>> = {
  creates,
  patches,
  rules,
  gets,
  lists,
  watches,
  'start-up': startUp,
  memory,
};

/** Measures the embedded API server. Each measurement has servers of its own and leaves nothing behind. */
export async function apiserver(
  plan: Plan,
  names: readonly string[],
  onProgress: (text: string) => void,
): Promise<Result[]> {
  const rival = kubernetes();
  await using filledHomes = new FilledHomes(plan.storedObjects);
  const results: Result[] = [];
  for (const [index, name] of names.entries()) {
    onProgress(`${name} (${index + 1} of ${names.length})`);
    await using bench = new Bench(plan, filledHomes, vireo, rival);
    results.push(...(await MEASUREMENTS[name]!(bench)));
  }
  return results;
}

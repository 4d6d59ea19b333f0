import type { Api } from '../data/api.ts';
import { deleteExactly } from '../data/deleteExactly.ts';
import { Refused } from '../data/refused.ts';
import type { Rights } from '../data/rights.ts';
import { type Action, requestFor } from '../decisions/actions.ts';
import type { Machine } from '../decisions/machine.ts';
import type { Work } from './tasks/store.ts';

/** How many requests are under way at once when many machines are acted on. */
const AT_ONCE = 6;

/**
 * Work that acts on machines, a few at a time, and fails with the names of those that refused. Done again, it acts on
 * these alone.
 */
export function actionWork(
  { api, rights }: { readonly api: Pick<Api, 'request'>; readonly rights: Pick<Rights, 'forget'> },
  action: Action,
  machines: readonly Machine[],
  onRefused: (machine: Machine) => void,
): Work<void> {
  let remaining = machines;
  return async (report) => {
    const waiting = [...remaining];
    const all = waiting.length;
    const failed: Machine[] = [];
    const reasons: string[] = [];
    let done = 0;
    const work = async (): Promise<void> => {
      for (let machine = waiting.shift(); machine; machine = waiting.shift()) {
        const { method, path, body } = requestFor(action, machine);
        try {
          if (method === 'DELETE') await deleteExactly(api, path, machine.uid);
          else await api.request(method, path, body);
        } catch (error) {
          failed.push(machine);
          const reason = error instanceof Error ? error.message : String(error);
          reasons.push(machines.length > 1 ? `${machine.name}: ${reason}` : reason);
          if (error instanceof Refused && error.code === 403) rights.forget();
          onRefused(machine);
        }
        done += 1;
        if (all > 1) report(`${done} of ${all}`);
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, work));
    remaining = failed;
    if (reasons.length > 0) throw new Error(reasons.join('\n'));
  };
}

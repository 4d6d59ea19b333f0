import { moveText } from '../migration.ts';
import type { Guest } from './guest.ts';

/** Machines that maintenance would stop, as Harvester's `listUnhealthyVM` groups them. */
export interface UnhealthyGroup {
  readonly condition?: string;
  /** Not a sentence, but a reason such as `DisksNotLiveMigratable`. */
  readonly message?: string;
  /** As `namespace/name`. */
  readonly vms?: readonly string[];
}

/** Machines that cannot move, and why. */
export interface Obstacle {
  readonly machines: readonly string[];
  readonly why: string;
}

const WORDS: Readonly<Record<string, string>> = {
  NodeSchedulingRequirementsNotMet: 'No other node can run it.',
};

/** What is in the way of maintenance, in the words of the machines' own conditions where they have any. */
export function obstaclesOf(groups: readonly UnhealthyGroup[], guests: readonly Guest[]): Obstacle[] {
  const conditions = new Map(guests.map(({ key, liveMigratable }) => [key, liveMigratable]));
  const lines = groups.flatMap(({ message, condition, vms = [] }) => {
    const reason = message || condition || '';
    return vms.map((machine) => {
      const known = conditions.get(machine);
      const own = known?.reason === reason ? known.message : undefined;
      return { machine, why: own || WORDS[reason] || reason || 'It cannot migrate.' };
    });
  });
  const byWhy = Map.groupBy(lines, ({ why }) => why);
  return [...byWhy].map(([why, found]) => ({ why, machines: found.map(({ machine }) => machine) }));
}

/** Who is still on a node that enters maintenance: `Waiting for 1 machine to leave: web (migrating to n2 · 43 %).` */
export function leavingText(guests: readonly Pick<Guest, 'name' | 'move'>[]): string {
  if (guests.length === 0) return 'All machines have left.';
  const names = guests.map(({ name, move }) => (move ? `${name} (${moveText(move).toLowerCase()})` : name));
  return `Waiting for ${guests.length} ${guests.length === 1 ? 'machine' : 'machines'} to leave: ${names.join(', ')}.`;
}

/** The server's reason without the words that every conflict begins with, as a sentence. */
export function reasonIn(message: string): string {
  const reason = message.replace(/^Operation cannot be fulfilled on \S+ "[^"]*": /, '');
  return `${reason.charAt(0).toUpperCase()}${reason.slice(1)}${/[.!?]$/.test(reason) ? '' : '.'}`;
}

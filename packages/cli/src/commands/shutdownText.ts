import type { ShutdownProgress } from '@vireo/node';

const MAX_NAMES = 3;

/** `1 VM`, `2 VMs`. */
export const countOfVms = (count: number): string => `${count} VM${count === 1 ? '' : 's'}`;

/** The first few of many names. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** How far a shutdown has come, in one line. */
export function progressLine({ total, left, remainingMs }: ShutdownProgress): string {
  const remaining = remainingMs > 0 ? `at most ${Math.ceil(remainingMs / 1000)} s` : 'powering off';
  return `Shutting down ${countOfVms(total)} … ${left.length} left, ${remaining}: ${someOf(left)}`;
}

/** How far VMs have come that move to other nodes, in one line. */
export function departureLine({ total, left, remainingMs }: Omit<ShutdownProgress, 'elapsedMs'>): string {
  const remaining = `at most ${Math.ceil(remainingMs / 1000)} s`;
  return `Moving ${countOfVms(total)} to other nodes … ${left.length} left, ${remaining}: ${someOf(left)}`;
}

/** A VM that cannot be asked to move. */
export const notMovedLine = (name: string, reason: string): string =>
  `VM ${name} is not moved to another node and shuts down here: ${reason}`;

/** VMs that have not moved in time. */
export const lateLine = (names: readonly string[]): string =>
  `${countOfVms(names.length)} did not move in time and ${names.length === 1 ? 'shuts' : 'shut'} down here: ${someOf(names)}`;

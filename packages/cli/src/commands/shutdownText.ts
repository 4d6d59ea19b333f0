import type { ShutdownProgress } from '@vireo/node';

const MAX_NAMES = 3;

/** `1 machine`, `2 machines`. */
export const machines = (count: number): string => `${count} machine${count === 1 ? '' : 's'}`;

/** The first few of many names. */
export function someOf(names: readonly string[]): string {
  const more = names.length - MAX_NAMES;
  return [...names.slice(0, MAX_NAMES), ...(more > 0 ? [`${more} more`] : [])].join(', ');
}

/** How far a shutdown has come, in one line. */
export function progressLine({ total, left, patienceMs }: ShutdownProgress): string {
  const patience = patienceMs > 0 ? `at most ${Math.ceil(patienceMs / 1000)} s` : 'being switched off';
  return `Shutting down ${machines(total)} … ${left.length} left, ${patience}: ${someOf(left)}`;
}

import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { withConnection } from './connectionOptions.ts';
import { parseType } from './types.ts';

/** A command that speaks to a server. `ownFlags` are global flags that mean something else in it. */
export const clusterCommand = (
  parent: Command,
  name: string,
  summary: string,
  ownFlags: readonly string[] = [],
): Command => withConnection(parent.command(name).summary(summary), ownFlags);

/** The shell offers the short names; the others are taken as well. */
export const typeArgument = (): Argument =>
  new Argument('<type>', 'resource type').choices(['vm', 'vmi']).argParser(parseType);

export const dryRunOption = (): Option => new Option('--dry-run', 'validate the request without changing anything');

/** Scripts for virtctl ask for a forwarded port; exports are served where the API is, and need none. */
export const withForwarding = (command: Command): Command =>
  command
    .addOption(new Option('--port-forward', 'not needed').hideHelp())
    .addOption(new Option('--local-port <port>', 'not needed').hideHelp());

/** An option that can be given several times. */
export const repeated = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((value: string, before: readonly string[] = []) => [...before, value]);

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600 };
/** A timer that is set for longer fires at once. */
const MOST_SECONDS = Math.floor((2 ** 31 - 1) / 1_000);

/** `300`, `300s`, `5m`, `1m30s`. */
export function parseSeconds(text: string): number {
  const parts = [...text.matchAll(/(\d+)([smh])/g)];
  const isWhole = /^\d+$/.test(text) || (parts.length > 0 && parts.map(([part]) => part).join('') === text);
  if (!isWhole) throw new InvalidArgumentError('Expected a number of seconds, or a duration such as 30s, 5m or 1h.');
  const seconds =
    parts.length > 0
      ? parts.reduce((sum, [, n, unit = 's']) => sum + Number(n) * (SECONDS[unit] ?? 0), 0)
      : Number(text);
  return Math.min(seconds, MOST_SECONDS);
}

/** virtctl takes -1 for the VM's own. */
export function parseGraceSeconds(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('Expected a number of seconds.');
  return Number(text);
}

export function parseCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('Expected a number.');
  return Number(text);
}

export function parseMinutes(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('Expected a number of minutes.');
  return Number(text);
}

/** `a=b,c=d`, as often as wanted. */
export function parsePairs(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s));
  if (pairs.some(([key, value]) => !key || value === undefined))
    throw new InvalidArgumentError('Expected KEY=VALUE, or several of them separated by commas.');
  return { ...before, ...Object.fromEntries(pairs.map(([key, value]) => [key, value])) };
}

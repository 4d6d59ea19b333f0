import { Argument, type Command, InvalidArgumentError, Option } from 'commander';
import { withConnection } from './connectionOptions.ts';
import { parseType } from './types.ts';

/** A command that speaks to a server. `ownFlags` are global flags that mean something else in it. */
export const machineCommand = (
  parent: Command,
  name: string,
  summary: string,
  ownFlags: readonly string[] = [],
): Command => withConnection(parent.command(name).summary(summary), ownFlags);

/** The shell offers the short names; the others are taken as well. */
export const typeArgument = (): Argument =>
  new Argument('<type>', 'what is named: a machine or an instance').choices(['vm', 'vmi']).argParser(parseType);

export const dryRunOption = (): Option => new Option('--dry-run', 'have it checked, but change nothing');

/** Scripts for virtctl ask for a forwarded port; exports are served where the API is, and need none. */
export const withForwarding = (command: Command): Command =>
  command
    .addOption(new Option('--port-forward', 'not needed').hideHelp())
    .addOption(new Option('--local-port <port>', 'not needed').hideHelp());

/** An option that can be given several times. */
export const repeated = (flags: string, description: string): Option =>
  new Option(flags, description).argParser((value: string, before: readonly string[] = []) => [...before, value]);

export function parseSeconds(text: string): number {
  if (!/^-?\d+$/.test(text)) throw new InvalidArgumentError('It is a number of seconds.');
  return Number(text);
}

export function parseCount(text: string): number {
  if (!/^\d{1,4}$/.test(text)) throw new InvalidArgumentError('It is a number.');
  return Number(text);
}

export function parseMinutes(text: string): number {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('It is a number of minutes.');
  return Number(text);
}

/** `a=b,c=d`, as often as wanted. */
export function parsePairs(text: string, before: Readonly<Record<string, string>> = {}): Record<string, string> {
  const pairs = text.split(',').map((pair) => pair.split(/=(.*)/s));
  if (pairs.some(([key, value]) => !key || value === undefined))
    throw new InvalidArgumentError('It is KEY=VALUE, or several of them separated by commas.');
  return { ...before, ...Object.fromEntries(pairs.map(([key, value]) => [key, value])) };
}

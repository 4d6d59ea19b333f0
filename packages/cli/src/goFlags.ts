import type { Command } from 'commander';

/**
 * Flags without a value as Go's programs take them too: `--force=true` is `--force`, and `--force=false` is nothing.
 * Scripts for virtctl write them.
 */
export function plainFlags(args: readonly string[], program: Command): string[] {
  const switches = new Set(switchesOf(program));
  const end = args.indexOf('--');
  const options = end < 0 ? args : args.slice(0, end);
  return [...options.flatMap((arg) => plainFlag(arg, switches)), ...args.slice(options.length)];
}

function plainFlag(arg: string, switches: ReadonlySet<string>): string[] {
  const [, flag, value] = /^(--[a-z-]+)=(true|false)$/.exec(arg) ?? [];
  if (flag === undefined || !switches.has(flag)) return [arg];
  return value === 'true' ? [flag] : [];
}

function switchesOf(command: Command): string[] {
  const own = command.options.filter(({ required, optional }) => !required && !optional);
  return [...own.flatMap(({ long }) => long ?? []), ...command.commands.flatMap(switchesOf)];
}

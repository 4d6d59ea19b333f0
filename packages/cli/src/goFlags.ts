import type { Command, Option } from 'commander';

/**
 * Flags as Go's programs take them too: `--force=true` is `--force`, `--force=false` is `--no-force` or nothing, and
 * `-n=web` is `-n web`. Scripts for virtctl write them.
 */
export function plainFlags(args: readonly string[], program: Command): string[] {
  const options = optionsOf(program);
  const isSwitch = ({ required, optional }: Option): boolean => !required && !optional;
  const known: KnownFlags = {
    switches: new Set(options.filter(isSwitch).map(({ long }) => long)),
    shorts: new Set(options.filter((option) => !isSwitch(option)).map(({ short }) => short)),
  };
  const end = args.indexOf('--');
  const before = end < 0 ? args : args.slice(0, end);
  return [...before.flatMap((arg) => plainFlag(arg, known)), ...args.slice(before.length)];
}

interface KnownFlags {
  readonly switches: ReadonlySet<string | undefined | null>;
  /** Those with a value. */
  readonly shorts: ReadonlySet<string | undefined | null>;
}

function plainFlag(arg: string, { switches, shorts }: KnownFlags): string[] {
  const [, short, text] = /^(-[A-Za-z])=(.*)$/s.exec(arg) ?? [];
  if (short !== undefined && text !== undefined && shorts.has(short)) return [short, text];
  const [, flag, value] = /^(--[a-z-]+)=(true|false)$/.exec(arg) ?? [];
  if (flag === undefined || !switches.has(flag)) return [arg];
  if (value === 'true') return [flag];
  const opposite = flag.replace('--', '--no-');
  return switches.has(opposite) ? [opposite] : [];
}

const optionsOf = (command: Command): Option[] => [...command.options, ...command.commands.flatMap(optionsOf)];

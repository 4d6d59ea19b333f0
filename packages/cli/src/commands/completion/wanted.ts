import type { Argument, Command, Option } from 'commander';
import { catalogue, GUEST } from '../../catalogue.ts';

/** A word that could stand at the cursor. */
export interface Candidate {
  readonly value: string;
  readonly description?: string;
}

/** What the shell is to offer at the cursor. */
export type Wanted =
  | { readonly type: 'words'; readonly words: readonly Candidate[] }
  | { readonly type: 'files' | 'directories' | 'nothing' }
  /** Names that only the server knows; each offered as `before` and the name. */
  | { readonly type: 'names'; readonly of: NamedKind; readonly before: string }
  /** Files here, and `NAME:` of VMs. */
  | { readonly type: 'filesOrVms' };

export type NamedKind = 'vm' | 'vmi' | 'vmOrVmi' | 'guest' | 'pvc' | 'namespace' | 'network';

/** Which kind an argument or an option's value names. */
const NAMED: Readonly<Record<string, NamedKind>> = {
  vm: 'vm',
  vmi: 'vmi',
  target: 'vmOrVmi',
  guest: 'guest',
  pvc: 'pvc',
  '--namespace': 'namespace',
  '--network': 'network',
  '--vm': 'vm',
  '--pvc': 'pvc',
  '--claim-name': 'pvc',
  '--volume-name': 'pvc',
};

/** What may follow: decided from the words before the cursor and the one that it stands in. */
export function wanted(program: Command, words: readonly string[]): Wanted {
  const current = words.at(-1) ?? '';
  const { command, operands, awaiting } = readWords(program, words.slice(0, -1));
  if (awaiting) return valuesOf(awaiting, '');
  const [flag = '', value] = current.split(/=(.*)/s);
  if (current.startsWith('-')) {
    const option = findOption(command, flag);
    if (value !== undefined) return option ? valuesOf(option, `${flag}=`) : { type: 'nothing' };
    return { type: 'words', words: optionWords(command) };
  }
  return operandAt(command, operands, current);
}

interface ReadWords {
  readonly command: Command;
  readonly operands: readonly string[];
  /** An option whose value the cursor stands at. */
  readonly awaiting?: Option;
}

function readWords(program: Command, words: readonly string[]): ReadWords {
  let command = program;
  let operands: string[] = [];
  for (let at = 0; at < words.length; at++) {
    const word = words[at] ?? '';
    if (word.startsWith('-')) {
      const option = findOption(command, word);
      if (!option?.required) continue;
      if (++at >= words.length) return { command, operands, awaiting: option };
    } else {
      const below = operands.length === 0 ? command.commands.find((each) => isCalled(each, word)) : undefined;
      if (below) command = below;
      else operands = [...operands, word];
    }
  }
  return { command, operands };
}

const isCalled = (command: Command, word: string): boolean =>
  command.name() === word || command.aliases().includes(word);

const findOption = (command: Command, flag: string): Option | undefined =>
  command.options.find(({ long, short }) => long === flag || short === flag);

const optionWords = (command: Command): Candidate[] =>
  [...command.options.filter((option) => option.long), { long: '--help', description: 'print help' }].map(
    ({ long, description }) => ({ value: long ?? '', description }),
  );

function valuesOf(option: Option, before: string): Wanted {
  const named = NAMED[option.long ?? ''];
  if (option.argChoices)
    return { type: 'words', words: option.argChoices.map((choice) => ({ value: before + choice })) };
  if (named) return { type: 'names', of: named, before };
  if (option.flags.includes('<directory>')) return { type: 'directories' };
  return /<(\w+\|)?file>/.test(option.flags) ? { type: 'files' } : { type: 'nothing' };
}

function operandAt(command: Command, operands: readonly string[], current: string): Wanted {
  if (command.name() === 'help') return { type: 'words', words: commandWords(command.parent ?? command) };
  const subcommands = operands.length === 0 ? commandWords(command) : [];
  const last = command.registeredArguments.at(-1);
  const argument = command.registeredArguments[operands.length] ?? (last?.variadic ? last : undefined);
  const isCopied = command.name() === 'copy' && argument !== undefined;
  const forArgument = isCopied
    ? ({ type: 'filesOrVms' } as const)
    : argument && argumentAt(argument, operands, current);
  if (subcommands.length > 0 && forArgument?.type !== 'names') return { type: 'words', words: subcommands };
  return forArgument ?? { type: 'nothing' };
}

const commandWords = (command: Command): Candidate[] =>
  command.commands
    .filter((each) => !isHidden(each))
    .map((each) => ({ value: each.name(), description: each.summary() }));

const isHidden = (command: Command): boolean => command.name().startsWith('__');

const imageWords = (): Candidate[] => [
  ...catalogue.map(({ name, title }) => ({ value: name, description: title })),
  { value: GUEST, description: 'the small Linux that comes with Vireo' },
];

function argumentAt(argument: Argument, operands: readonly string[], current: string): Wanted {
  if (argument.argChoices) return { type: 'words', words: argument.argChoices.map((value) => ({ value })) };
  if (argument.name() === 'image') return { type: 'words', words: imageWords() };
  if (['file', 'source', 'destination'].includes(argument.name())) return { type: 'files' };
  if (argument.name() === 'directory') return { type: 'directories' };
  const type = argument.name() === 'name' ? operands.at(-1) : argument.name();
  const of = NAMED[type ?? ''];
  if (!of) return { type: 'nothing' };
  // Logins may say as whom: me@vm/web.
  return { type: 'names', of, before: /^[^@/]*@/.exec(current)?.[0] ?? '' };
}

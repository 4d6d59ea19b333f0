import type { Command } from 'commander';

/** Shells that completion scripts exist for. */
export const shells = ['bash', 'zsh', 'fish'] as const;

interface CommandWords {
  readonly name: string;
  readonly summary: string;
  readonly options: readonly OptionWords[];
  /** What the positional argument may be. */
  readonly choices: readonly string[];
}

interface OptionWords {
  readonly flags: readonly string[];
  readonly description: string;
  readonly value: 'none' | 'any' | 'directory' | readonly string[];
}

/** Prints the script for a shell, made from the commands and options as they are declared. */
export function completion(shell: (typeof shells)[number], program: Command): void {
  const words = program.commands.map(commandWords);
  console.log({ bash: bashScript, zsh: zshScript, fish: fishScript }[shell](words));
}

function commandWords(command: Command): CommandWords {
  return {
    name: command.name(),
    summary: command.summary(),
    choices: [
      ...command.commands.map((subcommand) => subcommand.name()),
      ...command.registeredArguments.flatMap((argument) => argument.argChoices ?? []),
    ],
    // Those of a subcommand (`vnc screenshot`) are offered along with those of its command.
    options: [command, ...command.commands]
      .flatMap((each) => each.createHelp().visibleOptions(each))
      .filter((option, index, all) => all.findIndex(({ long }) => long === option.long) === index)
      .map((option) => ({
        flags: [option.short, option.long].filter((flag) => flag !== undefined && flag !== null),
        description: option.description,
        value:
          option.argChoices ?? (!option.required ? 'none' : option.flags.includes('<directory>') ? 'directory' : 'any'),
      })),
  };
}

function bashScript(commands: readonly CommandWords[]): string {
  const cases = commands.map((command) => {
    const values = command.options
      .filter((option) => option.value !== 'none')
      .map((option) => `        ${option.flags.join('|')}) ${bashValues(option.value)}; return ;;`);
    return [
      `    ${command.name})`,
      ...(values.length > 0 ? ['      case "$previous" in', ...values, '      esac'] : []),
      `      COMPREPLY=($(compgen -W "${[...command.choices, ...command.options.flatMap((o) => o.flags)].join(' ')}" -- "$current"))`,
      '      ;;',
    ].join('\n');
  });
  return `# bash completion for vireo
_vireo() {
  local current="\${COMP_WORDS[COMP_CWORD]}" previous="\${COMP_WORDS[COMP_CWORD-1]}"
  COMPREPLY=()
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W "${['help', ...commands.map(({ name }) => name)].join(' ')} --help --version" -- "$current"))
    return
  fi
  case "\${COMP_WORDS[1]}" in
    help) COMPREPLY=($(compgen -W "${commands.map(({ name }) => name).join(' ')}" -- "$current")) ;;
${cases.join('\n')}
  esac
}
complete -F _vireo vireo`;
}

function bashValues(value: OptionWords['value']): string {
  if (value === 'directory') return 'COMPREPLY=($(compgen -d -- "$current"))';
  return typeof value === 'string' ? ':' : `COMPREPLY=($(compgen -W "${value.join(' ')}" -- "$current"))`;
}

function zshScript(commands: readonly CommandWords[]): string {
  const summaries = commands.map(({ name, summary }) => `    '${name}:${zshText(summary)}'`);
  const cases = commands.map((command) => {
    const options = command.options.flatMap((option) =>
      option.flags.map((flag) => `'${flag}[${zshText(option.description)}]${zshValues(option)}'`),
    );
    const choices = command.choices.length > 0 ? [`'1:argument:(${command.choices.join(' ')})'`] : [];
    return `    ${command.name}) _arguments ${[...options, ...choices].join(' ')} ;;`;
  });
  return `#compdef vireo
# zsh completion for vireo
_vireo() {
  local -a commands=(
${summaries.join('\n')}
  )
  if (( CURRENT == 2 )); then
    _describe command commands
    return
  fi
  local command=$words[2]
  shift words
  (( CURRENT-- ))
  case $command in
${cases.join('\n')}
  esac
}
compdef _vireo vireo`;
}

function zshValues({ value }: OptionWords): string {
  if (value === 'none') return '';
  if (value === 'directory') return ':directory:_directories';
  return typeof value === 'string' ? ':value:' : `:value:(${value.join(' ')})`;
}

const zshText = (text: string): string => text.replaceAll("'", '’').replaceAll(/[[\]:]/g, '\\$&');

function fishScript(commands: readonly CommandWords[]): string {
  const lines = commands.flatMap((command) => {
    const inCommand = `complete -c vireo -f -n '__fish_seen_subcommand_from ${command.name}'`;
    return [
      `complete -c vireo -f -n __fish_use_subcommand -a ${command.name} -d '${fishText(command.summary)}'`,
      ...command.options.map((option) => `${inCommand} ${fishOption(option)} -d '${fishText(option.description)}'`),
      ...(command.choices.length > 0 ? [`${inCommand} -a '${command.choices.join(' ')}'`] : []),
    ];
  });
  return ['# fish completion for vireo', ...lines].join('\n');
}

function fishOption({ flags, value }: OptionWords): string {
  const names = flags.map((flag) => (flag.startsWith('--') ? `-l ${flag.slice(2)}` : `-s ${flag.slice(1)}`));
  if (value === 'none') return names.join(' ');
  const values =
    value === 'directory'
      ? " -a '(__fish_complete_directories)'"
      : typeof value === 'string'
        ? ''
        : ` -a '${value.join(' ')}'`;
  return `${names.join(' ')} -r${values}`;
}

const fishText = (text: string): string => text.replaceAll("'", '’');

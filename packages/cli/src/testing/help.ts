import type { Command } from 'commander';

/** Every command and subcommand that people type. */
export const allCommands = (program: Command): Command[] =>
  program.commands.flatMap((command) => [command, ...allCommands(command)]);

/** `vnc screenshot`, without the program's own name. */
export function fullName(command: Command): string {
  const above = command.parent?.parent ? `${fullName(command.parent)} ` : '';
  return above + command.name();
}

/** What `--help` prints. */
export function helpOf(command: Command): string {
  let text = '';
  command.configureOutput({
    writeOut: (part) => {
      text += part;
    },
  });
  command.outputHelp();
  return text;
}

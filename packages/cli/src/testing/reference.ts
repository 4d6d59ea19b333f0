import { homedir, userInfo } from 'node:os';
import type { Command } from 'commander';
import { defaultHome } from '../options.ts';
import { buildProgram } from '../program.ts';
import { allCommands, fullName, helpOf } from './help.ts';

/** Wide enough that no line is broken: where it would be depends on the tester's home. */
const WIDTH = 1_000;

/** The part of docs/cli.md that follows from the program: a table of commands, then the help of each. */
export function commandReference(): string {
  const program = buildProgram();
  const commands = allCommands(program);
  const rows = commands
    .filter((command) => command.commands.length === 0 || command.registeredArguments.length > 0)
    .map((command) => `| [\`vireo ${fullName(command)}\`](#${anchorOf(command)}) | ${command.summary()} |`);
  return [
    '| command | does |',
    '|---|---|',
    ...rows,
    '',
    ...commands.map((command) => `## vireo ${fullName(command)}\n\n\`\`\`text\n${neutralHelp(command)}\n\`\`\`\n`),
  ].join('\n');
}

/** As GitHub makes it from the heading. */
const anchorOf = (command: Command): string => `vireo-${fullName(command).replaceAll(' ', '-')}`;

/** The help with nothing of the tester's own in it. */
function neutralHelp(command: Command): string {
  command.configureHelp({ helpWidth: WIDTH });
  const homeDirectory = homedir();
  const home = defaultHome({ isRoot: userInfo().uid === 0, homeDirectory });
  return helpOf(command)
    .replaceAll(JSON.stringify(home), '~/.vireo, /var/lib/vireo for root')
    .replaceAll(homeDirectory, '~')
    .trim();
}

/** Where it stands. */
export const referencePage: URL = new URL('../../../../docs/cli.md', import.meta.url);
/** What stands before it was written by hand. */
export const MARK = '<!-- From here on made from the program: node packages/cli/src/testing/writeReference.ts -->\n';

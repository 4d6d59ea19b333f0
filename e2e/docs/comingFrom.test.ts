import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, pages, repository } from './blocks.ts';
import { COMMAND_LANGUAGES, stepsOf } from './steps.ts';

/** The pages that put the commands of another product beside those of Vireo, in tables whose last column is Vireo's. */
const comparisons = pages.filter((page) => page.startsWith('docs/coming-from-'));
const A_COMMAND = /^(vireo|virtctl|kubectl|qemu-img|curl) \S/;

/** The commands in the last column of the tables of a page that have the heading `Vireo` there. */
function commandsInTables(markdown: string): string[] {
  const tables = markdown.match(/(?:^\|.*\|\n)+/gm) ?? [];
  return tables.flatMap((table) => {
    const [head = '', , ...rows] = table.trim().split('\n').map(lastCell);
    if (head !== 'Vireo') return [];
    return rows.flatMap((cell) => [...cell.matchAll(/`([^`]+)`/g)].map(([, code = '']) => code.replaceAll('\\|', '|')));
  });
}

const lastCell = (row: string): string =>
  row
    .split(/(?<!\\)\|/)
    .at(-2)
    ?.trim() ?? '';

/** A command on one line, without the comment behind it. */
const oneLine = (command: string): string => command.replace(/ +# .*$/, '').replaceAll(/\s*\\?\n\s*/g, ' ');

it('commands are found in the last column alone', () => {
  const table = ['| task | Other | Vireo |', '|---|---|---|', '| a | `kubectl x` | `vireo a`, then `b \\| c` |', ''];
  expect(commandsInTables(table.join('\n'))).toEqual(['vireo a', 'b | c']);
  expect(commandsInTables(table.join('\n').replace('Vireo', 'Another'))).toEqual([]);
});

describe.each(comparisons)('%s', (page) => {
  const commands = commandsInTables(readFileSync(join(repository, page), 'utf8')).filter((code) =>
    A_COMMAND.test(code),
  );

  it('has a command of Vireo for most tasks', () => {
    expect(commands.length).toBeGreaterThan(15);
  });

  // Blocks are run by pages.test.ts, or say which test runs them, or why none does.
  it('has no command in a table that no block of any page accounts for', () => {
    const accounted = new Set(
      pages
        .flatMap((each) => blocksOf(each))
        .filter(({ language }) => COMMAND_LANGUAGES.includes(language))
        .flatMap((block) => stepsOf(block).map(({ command }) => oneLine(command))),
    );
    expect(commands.filter((command) => !accounted.has(command))).toEqual([]);
  });
});

import type { Command } from 'commander';
import { describe, expect, it } from 'vitest';
import { plainFlags } from './goFlags.ts';
import { buildProgram } from './program.ts';
import { allCommands, fullName, helpOf } from './testing/help.ts';

/** The words of a command line as a shell would make them: quotes keep spaces together. */
const wordsOf = (line: string): string[] =>
  [...line.matchAll(/(?:[^\s'"]|'[^']*'|"[^"]*")+/g)].map(([word]) => word.replaceAll(/['"]/g, ''));

/** Every `vireo …` in the examples of a command, up to what the shell does with it. */
function examplesOf(command: Command): string[] {
  const [, text = ''] = helpOf(command).split('Examples:\n');
  const lines = [...text.matchAll(/\bvireo [^#\n]*/g)].map(([line]) => line);
  // The last one is the end of a word that began before it: -o 'ProxyCommand=vireo …'.
  return lines.map((line) => (line.split(/ [|>] ?|\)|(?<=\d)' /)[0] ?? '').trim());
}

const examples = allCommands(buildProgram()).flatMap((command) =>
  examplesOf(command).map((example) => ({ command: fullName(command), example })),
);

describe('the examples of --help', () => {
  it('are there', () => expect(examples.length).toBeGreaterThan(100));

  it.each(examples)('of $command are understood: $example', ({ example }) => {
    const program = buildProgram();
    let called: string | undefined;
    for (const each of [program, ...allCommands(program)]) {
      each.exitOverride().configureOutput({ writeErr: () => {} });
      // What only groups others takes neither arguments nor options.
      const isCommand = each.commands.length === 0 || each.registeredArguments.length + each.options.length > 0;
      if (each !== program && isCommand)
        each.action(() => {
          called = fullName(each);
        });
    }
    program.parse(plainFlags(wordsOf(example).slice(1), program), { from: 'user' });
    expect(example).toContain(`vireo ${called}`);
  });
});

import type { Block, Note } from './blocks.ts';

/** One command of a block, and what the page shows that it prints. */
export interface Step {
  readonly command: string;
  /** Missing where the page shows nothing. */
  readonly output?: string;
  /** Why it is not run here; missing where it is. */
  readonly excuse?: Note;
}

/** Languages whose blocks are commands. `console` has prompts, and output below them. */
export const COMMAND_LANGUAGES = ['sh', 'console'];

/** The commands of a block. */
export function stepsOf({ language, text, notes }: Block): Step[] {
  const steps = language === 'console' ? withOutput(text) : commandsOf(text).map((command) => ({ command }));
  return steps.map((step) => {
    const excuse = notes.find((note) => note.kind !== 'applied' && isMeant(note, step.command));
    return excuse ? { ...step, excuse } : step;
  });
}

/** A note without a command in backticks is about all of them. */
function isMeant({ text }: Note, command: string): boolean {
  const named = [...text.matchAll(/`([^`]+)`/g)].map(([, words = '']) => words);
  return named.length === 0 || named.some((words) => command.startsWith(words));
}

/** The lines with a prompt, each with the lines up to the next one. */
function withOutput(text: string): Step[] {
  const [first = '', ...parts] = `\n${text}`.split(/\n\$ /);
  if (first.trim()) throw new Error(`a console block begins with a prompt, not with: ${first.trim()}`);
  return parts.map((part) => {
    const [command = '', ...rest] = commandsOf(part, 1);
    const output = rest.join('').trimEnd();
    return output ? { command, output } : { command };
  });
}

const HERE_DOCUMENT = /<<-?\s*['"]?(\w+)['"]?/;

/**
 * Splits a script into its commands: a line goes on after a backslash or an operator, when the next one is indented, and
 * to the end of a here-document. Comments and empty lines between them are left out. After `limit` commands, what is
 * left is given as it is.
 */
export function commandsOf(script: string, limit: number = Number.POSITIVE_INFINITY): string[] {
  const lines = script.split('\n');
  const commands: string[] = [];
  let index = 0;
  while (index < lines.length && commands.length < limit) {
    const first = lines[index++] ?? '';
    if (!first.trim() || first.startsWith('#')) continue;
    const command = [first];
    const [, end] = HERE_DOCUMENT.exec(first) ?? [];
    if (end !== undefined) while (index < lines.length && command.at(-1) !== end) command.push(lines[index++] ?? '');
    else while (goesOn(command.at(-1) ?? '', lines[index], limit)) command.push(lines[index++] ?? '');
    commands.push(command.join('\n'));
  }
  return index < lines.length ? [...commands, lines.slice(index).join('\n')] : commands;
}

/** Output below a prompt may be indented; there, only the command itself says that it goes on. */
const goesOn = (line: string, next: string | undefined, limit: number): boolean =>
  next !== undefined && (/(\\|\||&&)$/.test(line) || (limit > 1 && /^\s+\S/.test(next)));

/** Whether anything of a block is run where the pages are: a command, or a manifest. */
export function isRun(block: Block): boolean {
  if (block.language === 'yaml') return block.notes.every(({ kind }) => kind === 'applied');
  return COMMAND_LANGUAGES.includes(block.language) && stepsOf(block).some(({ excuse }) => !excuse);
}

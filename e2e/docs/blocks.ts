import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's directory. */
export const repository: string = fileURLToPath(new URL('../..', import.meta.url));

/** The pages whose commands must hold, README first. */
export const pages: readonly string[] = ['README.md', ...globSync('docs/*.md', { cwd: repository }).sort()];

/** A fenced block of a page, with what the comments before it say. */
export interface Block {
  readonly page: string;
  /** The line of its opening fence. */
  readonly line: number;
  readonly language: string;
  readonly text: string;
  readonly notes: readonly Note[];
}

/**
 * What a page says of the block below it, in comments that readers do not see:
 *
 * - `<!-- not run: why -->`: no test can run it; with commands in backticks, those of its commands;
 * - `<!-- run by: path -->`: the test of that path does; with commands in backticks, those of its commands;
 * - `<!-- applied -->`: a manifest that the page goes on with; others are only sent to be checked.
 */
export interface Note {
  readonly kind: 'not run' | 'run by' | 'applied';
  readonly text: string;
}

const FENCE = /^( *)```(\S*)$/;
const COMMENT = /^<!-- (not run|run by|applied)(?:: (.*))? -->$/;

/** The fenced blocks of a page, in its order. */
export function blocksOf(page: string, markdown: string = readFileSync(join(repository, page), 'utf8')): Block[] {
  const blocks: Block[] = [];
  const lines = markdown.split('\n');
  let notes: Note[] = [];
  for (let index = 0; index < lines.length; index++) {
    const line = lines[index] ?? '';
    const [opening, indent = '', language = ''] = FENCE.exec(line) ?? [];
    const [comment, kind, text = ''] = COMMENT.exec(line) ?? [];
    if (opening !== undefined) {
      const end = lines.indexOf(`${indent}\`\`\``, index + 1);
      if (end < 0) throw new Error(`${page}:${index + 1} opens a block that nothing closes`);
      const inside = lines.slice(index + 1, end).map((each) => `${each.slice(indent.length)}\n`);
      blocks.push({ page, line: index + 1, language, text: inside.join(''), notes });
      notes = [];
      index = end;
    } else if (comment !== undefined) notes.push({ kind: kind as Note['kind'], text });
    else if (line.trim() !== '') notes = [];
  }
  return blocks;
}

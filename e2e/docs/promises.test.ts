import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from './blocks.ts';

const page = readFileSync(join(repository, 'docs/promises.md'), 'utf8');
const rows = page
  .split('\n')
  .filter((line) => line.startsWith('| ') && !/^\| (promise|target) /.test(line))
  .map((line) => line.split(' | ').map((cell) => cell.replace(/^\| | \|$/g, '')));
const named = [...page.matchAll(/`([^`]+)`/g)].map(([, text = '']) => text);

it('every promise has a state, and something that shows it or why it does not', () => {
  expect(rows.length).toBeGreaterThan(50);
  for (const [promise, state, shown] of rows) {
    expect(state, promise).toMatch(/^([✓◐✗]|see \[)/);
    expect(shown, promise).toMatch(/\w/);
    if (state === '✓') expect(shown, promise).toMatch(/`npm |`\S+\/\S+`|by the clock/);
  }
});

it('every file that is named is there', () => {
  const files = named.filter((text) => /^[\w-]+\/\S+$/.test(text));
  expect(files.length).toBeGreaterThan(40);
  expect(files.filter((file) => !existsSync(join(repository, file)))).toEqual([]);
});

it('every command that is named is one of npm’s', () => {
  const { scripts } = JSON.parse(readFileSync(join(repository, 'package.json'), 'utf8')) as { scripts: object };
  const commands = named.flatMap((text) => /^npm (?:run )?([\w-]+)/.exec(text)?.[1] ?? []);
  expect(commands.length).toBeGreaterThan(10);
  expect(commands.filter((command) => !(command in scripts))).toEqual([]);
});

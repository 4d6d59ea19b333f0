import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { npmCommand } from './npm.mjs';

const directory = mkdtempSync(join(tmpdir(), 'vireo-npm-'));
afterAll(() => rmSync(directory, { recursive: true }));
const file = (name) => {
  const path = join(directory, name);
  writeFileSync(path, '');
  return path;
};
const cli = file('npm-cli.js');
const own = file('node');
const other = file('other-node');
const removed = join(directory, 'removed');

it.each([
  ['npm started us', { npm_execpath: cli }, own, [own, cli]],
  [
    'our Node was in node_modules, which is gone',
    { npm_execpath: cli, npm_node_execpath: other },
    removed,
    [other, cli],
  ],
  ['nobody knows another Node', { npm_execpath: cli }, removed, ['npm']],
  ['another tool started us', { npm_execpath: join(directory, 'yarn.js') }, own, ['npm']],
  ['nobody did', {}, own, ['npm']],
])('which npm runs where %s', (_, env, node, expected) => {
  expect(npmCommand(env, node)).toEqual(expected);
});

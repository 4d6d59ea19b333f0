import { globSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { repository } from './blocks.ts';

const page = readFileSync(join(repository, 'ARCHITECTURE.md'), 'utf8');
/** Package, what it is, what it may import. */
const rows = [...page.matchAll(/^\| \[`packages\/(\w+)`\]\(\S+\) \| .* \| ([^|]*) \|$/gm)].map(
  ([, name = '', allowed = '']) => ({ name, allowed: allowed === '–' ? [] : allowed.split(', ') }),
);

it('ARCHITECTURE.md lists every package and every directory', () => {
  expect(rows.map(({ name }) => name).sort()).toEqual(readdirSync(join(repository, 'packages')).sort());
  const directories = readdirSync(repository, { withFileTypes: true })
    .filter((entry) => entry.isDirectory() && !entry.name.startsWith('.') && entry.name !== 'node_modules')
    .map(({ name }) => name);
  for (const name of directories) expect(page, name).toContain(`${name}/`);
});

it.each(rows)('$name imports only $allowed, but for its tests', ({ name, allowed }) => {
  const files = globSync(`packages/${name}/{src,page}/**/*.{ts,tsx}`, { cwd: repository }).filter(
    (file) => !/\.(test|contract)\.ts$|\/(testing|contract)\/|\/(testing|contract)\.ts$/.test(file),
  );
  const imported = files.flatMap((file) =>
    [...readFileSync(join(repository, file), 'utf8').matchAll(/(?:from|import\() ?'@vireo\/(\w+)/g)].map(
      ([, other = '']) => other,
    ),
  );
  const known = allowed.includes('all') ? rows.map((row) => row.name) : allowed;
  expect([...new Set(imported)].filter((other) => !known.includes(other))).toEqual([]);
});

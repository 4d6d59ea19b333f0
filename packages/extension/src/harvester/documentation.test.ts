import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { harvesterActionsAsMarkdown, LISTED_WHEN, nameOf } from '../testing/harvesterPage.ts';
import { REFUSED_PAGE } from './refusedPage.ts';
import { ABSENT_GROUPS, ABSENT_KINDS, NOT_SERVED } from './steve/notServed.ts';
import { HARVESTER_ACTIONS } from './table.ts';

describe('the documentation', () => {
  it('says of every action when it is offered', () => {
    expect(Object.keys(LISTED_WHEN).sort()).toEqual(HARVESTER_ACTIONS.map(nameOf).sort());
  });

  const readPage = () => readFile(new URL('../../../../docs/harvester.md', import.meta.url), 'utf8');

  it('says of everything that is refused why, where messages send users', async () => {
    const [path, anchor] = REFUSED_PAGE.split('#');
    expect([path, anchor]).toEqual(['docs/harvester.md', 'refused']);
    const section = /^## Refused$.*?(?=^## )/ms.exec(await readPage())?.[0] ?? '';
    const refused = [...Object.keys(NOT_SERVED), ...Object.keys(ABSENT_KINDS), ...Object.keys(ABSENT_GROUPS)];
    const rows = section.split('\n').filter((line) => line.startsWith('|'));
    const names = (row: string, name: string) => row.includes(`\`${name}\``) || row.includes(`/${name}\``);
    expect(refused.filter((name) => !rows.some((row) => names(row, name)))).toEqual([]);
  });

  it('has what the table has: run packages/extension/src/testing/writeActionPages.ts', async () => {
    const page = await readPage();
    expect(page).toContain(harvesterActionsAsMarkdown(HARVESTER_ACTIONS));
  });
});

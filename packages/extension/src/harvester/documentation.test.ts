import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { harvesterActionsAsMarkdown, LISTED_WHEN, nameOf } from '../testing/harvesterPage.ts';
import { HARVESTER_ACTIONS } from './table.ts';

describe('the documentation', () => {
  it('says of every action when it is offered', () => {
    expect(Object.keys(LISTED_WHEN).sort()).toEqual(HARVESTER_ACTIONS.map(nameOf).sort());
  });

  it('has what the table has: run packages/extension/src/testing/writeActionPages.ts', async () => {
    const page = await readFile(new URL('../../../../docs/harvester.md', import.meta.url), 'utf8');
    expect(page).toContain(harvesterActionsAsMarkdown(HARVESTER_ACTIONS));
  });
});

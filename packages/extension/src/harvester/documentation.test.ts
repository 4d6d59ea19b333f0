import { readFile } from 'node:fs/promises';
import { describe, expect, it } from 'vitest';
import { harvesterActionsAsMarkdown, LISTED_WHEN, nameOf } from '../testing/harvesterPage.ts';
import { NOT_IMPLEMENTED } from './notImplemented.ts';
import { HARVESTER_ACTIONS } from './table.ts';

describe('the documentation', () => {
  it('says of every action that works when it is offered, and of no other', () => {
    const working = HARVESTER_ACTIONS.filter((action) => !NOT_IMPLEMENTED.includes(action)).map(nameOf);
    expect(Object.keys(LISTED_WHEN).sort()).toEqual(working.sort());
  });

  it('has what the table has: run packages/extension/src/testing/writeActionPages.ts', async () => {
    const page = await readFile(new URL('../../../../docs/harvester.md', import.meta.url), 'utf8');
    expect(page).toContain(harvesterActionsAsMarkdown(HARVESTER_ACTIONS));
  });
});

import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { ACTIONS } from '../actions/table.ts';
import { HARVESTER_ACTIONS } from '../harvester/table.ts';
import { actionsAsMarkdown } from './actionsPage.ts';
import { harvesterActionsAsMarkdown } from './harvesterPage.ts';

/** Writes the tables of actions anew: `node packages/extension/src/testing/writeActionPages.ts`. */
const pageAt = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  const page = pageAt(path);
  await writeFile(page, change(await readFile(page, 'utf8')));
}

await rewrite('../../ACTIONS.md', (text) => `${text.slice(0, text.indexOf('| path |'))}${actionsAsMarkdown(ACTIONS)}`);
await rewrite('../../../../docs/harvester.md', (text) =>
  text.replace(
    /<!-- actions -->.*<!-- end of actions -->/s,
    () => `<!-- actions -->\n\n${harvesterActionsAsMarkdown(HARVESTER_ACTIONS)}\n<!-- end of actions -->`,
  ),
);

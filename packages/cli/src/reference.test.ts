import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { commandReference, MARK, referencePage } from './testing/reference.ts';

it('docs/cli.md says what the program does; else run: node packages/cli/src/testing/writeReference.ts', () => {
  const [, written] = readFileSync(referencePage, 'utf8').split(MARK);
  expect(written).toBe(`\n${commandReference()}`);
});

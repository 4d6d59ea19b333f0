import { expect, it } from 'vitest';
import { hostileTexts } from './texts.ts';
import { logProblem } from './traces.ts';

const textOf = (label: string): string => hostileTexts('marker').find((each) => each.label === label)?.text ?? '';

it.each(['a line of a log', 'a header'])('%s that became one is found, and one in quotes is not', (label) => {
  expect(logProblem(`info: ${textOf(label)}`, 'marker')).toMatch(/is forged/);
  expect(logProblem(`info: ${JSON.stringify(textOf(label))}`, 'marker')).toBeUndefined();
});

it('what terminals obey is found', () => {
  expect(logProblem(`info: ${textOf('a terminal')}`, 'marker')).toMatch(/writes to terminals/);
  expect(logProblem(`info: ${JSON.stringify(textOf('a terminal'))}`, 'marker')).toBeUndefined();
});

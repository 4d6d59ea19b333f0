import { describe, expect, it } from 'vitest';
import { type LabelSelectorTerms, matchesLabelSelector } from './labelSelector.ts';

const labels = { app: 'web', tier: '3' };
const expression = (key: string, operator: string, ...values: string[]): LabelSelectorTerms => ({
  matchExpressions: [{ key, operator, values }],
});

describe('matchesLabelSelector', () => {
  it.each<[string, LabelSelectorTerms | undefined, boolean]>([
    ['a missing selector takes nothing', undefined, false],
    ['an empty one takes everything', {}, true],
    ['matchLabels that hold', { matchLabels: { app: 'web' } }, true],
    ['matchLabels of which one fails', { matchLabels: { app: 'web', tier: '4' } }, false],
    ['In', expression('app', 'In', 'db', 'web'), true],
    ['In with another value', expression('app', 'In', 'db'), false],
    ['NotIn', expression('app', 'NotIn', 'db'), true],
    ['NotIn without the label', expression('zone', 'NotIn', 'a'), true],
    ['Exists', expression('app', 'Exists'), true],
    ['Exists does not look at the prototype', expression('constructor', 'Exists'), false],
    ['DoesNotExist', expression('zone', 'DoesNotExist'), true],
    ['Gt', expression('tier', 'Gt', '2'), true],
    ['Gt of the same number', expression('tier', 'Gt', '3'), false],
    ['Lt', expression('tier', 'Lt', '10'), true],
    ['Lt of text', expression('app', 'Lt', '10'), false],
    ['an unknown operator', expression('app', 'Like', 'w'), false],
  ])('%s', (_, selector, expected) => {
    expect(matchesLabelSelector(selector, labels)).toBe(expected);
  });
});

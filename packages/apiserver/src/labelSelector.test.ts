import { describe, expect, it } from 'vitest';
import { matchesLabelSelector } from './labelSelector.ts';

const labels = { app: 'web', tier: '3' };

describe('matchesLabelSelector', () => {
  it.each([
    ['a missing selector takes nothing', undefined, false],
    ['an empty one takes everything', {}, true],
    ['matchLabels that hold', { matchLabels: { app: 'web' } }, true],
    ['matchLabels of which one fails', { matchLabels: { app: 'web', tier: '4' } }, false],
    ['expressions', { matchExpressions: [{ key: 'app', operator: 'In', values: ['db', 'web'] }] }, true],
  ])('%s', (_, selector, expected) => {
    expect(matchesLabelSelector(selector, labels)).toBe(expected);
  });
});

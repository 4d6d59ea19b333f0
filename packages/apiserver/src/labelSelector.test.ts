import { describe, expect, it } from 'vitest';
import { matchesLabelSelector, matchesRequirement } from './labelSelector.ts';

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

describe('matchesRequirement', () => {
  it.each<[string, string, string[], boolean]>([
    ['app', 'In', ['db', 'web'], true],
    ['app', 'In', ['db'], false],
    ['app', 'NotIn', ['db'], true],
    ['zone', 'NotIn', ['a'], true],
    ['app', 'Exists', [], true],
    ['constructor', 'Exists', [], false],
    ['zone', 'DoesNotExist', [], true],
    ['tier', 'Gt', ['2'], true],
    ['tier', 'Gt', ['3'], false],
    ['tier', 'Lt', ['10'], true],
    ['app', 'Lt', ['10'], false],
    ['tier', 'Lt', ['ten'], false],
    ['app', 'Like', ['w'], false],
  ])('%s %s %j is %s', (key, operator, values, expected) => {
    expect(matchesRequirement({ key, operator, values }, labels)).toBe(expected);
  });
});

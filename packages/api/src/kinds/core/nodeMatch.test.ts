import { describe, expect, it } from 'vitest';
import { matchesRequirement } from './nodeMatch.ts';

const labels = { app: 'web', tier: '3' };

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

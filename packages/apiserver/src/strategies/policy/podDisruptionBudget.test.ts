import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { podDisruptionBudgetStrategy } from './podDisruptionBudget.ts';

test.each<[object, string[]]>([
  [{ minAvailable: 1 }, []],
  [{ maxUnavailable: '50%' }, []],
  [
    { minAvailable: 1, maxUnavailable: 1 },
    ['spec: Invalid value: {"minAvailable":1,"maxUnavailable":1}: minAvailable and maxUnavailable cannot be both set'],
  ],
  [{ minAvailable: '101%' }, ['spec.minAvailable: Invalid value: "101%": must not be greater than 100%']],
  [{ maxUnavailable: -1 }, ['spec.maxUnavailable: Invalid value: -1: must be greater than or equal to 0']],
  [
    { unhealthyPodEvictionPolicy: 'Maybe' },
    ['spec.unhealthyPodEvictionPolicy: Unsupported value: "Maybe": supported values: "AlwaysAllow", "IfHealthyBudget"'],
  ],
])('%j', (spec, expected) => {
  expect(problems(podDisruptionBudgetStrategy, { metadata: { name: 'b' }, spec })).toEqual(expected);
});

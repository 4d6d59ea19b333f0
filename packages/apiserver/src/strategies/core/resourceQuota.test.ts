import { expect, test } from 'vitest';
import { changeProblems, problems } from '../../testing/strategies.ts';
import { resourceQuotaStrategy } from './resourceQuota.ts';

const quota = (spec: object) => ({ metadata: { name: 'q', namespace: 'team' }, spec });

test.each<[string, object, string[]]>([
  [
    'amounts and counts',
    {
      hard: {
        'requests.cpu': '500m',
        pods: '3',
        'count/virtualmachines.kubevirt.io': '2',
        'requests.nvidia.com/gpu': '1',
      },
    },
    [],
  ],
  [
    'an unknown resource',
    { hard: { tea: '1' } },
    ['spec.hard[tea]: Invalid value: "tea": must be a standard resource for quota'],
  ],
  [
    'less than nothing, and half a pod',
    { hard: { cpu: '-1', pods: '500m' } },
    [
      'spec.hard[cpu]: Invalid value: "-1": must be greater than or equal to 0',
      'spec.hard[pods]: Invalid value: "500m": must be an integer',
    ],
  ],
  [
    'scopes that exclude each other, and one that is none',
    { scopes: ['BestEffort', 'NotBestEffort', 'Fun'] },
    [
      'spec.scopes: Invalid value: "Fun": unsupported scope',
      'spec.scopes: Invalid value: ["BestEffort","NotBestEffort","Fun"]: conflicting scopes',
    ],
  ],
  [
    'a scope selector without values',
    { scopeSelector: { matchExpressions: [{ scopeName: 'PriorityClass', operator: 'In' }] } },
    [
      "spec.scopeSelector.matchExpressions[0].values: Required value: must be at least one value when `operator` is 'In' or 'NotIn' for scope selector",
    ],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(resourceQuotaStrategy, quota(spec))).toEqual(expected);
});

test('the amounts may change, the scopes stay', () => {
  const old = quota({ hard: { pods: '1' }, scopes: ['BestEffort'] });
  expect(changeProblems(resourceQuotaStrategy, quota({ hard: { pods: '2' }, scopes: ['BestEffort'] }), old)).toEqual(
    [],
  );
  expect(changeProblems(resourceQuotaStrategy, quota({}), old)).toEqual([
    'spec.scopes: Invalid value: null: field is immutable',
  ]);
});

import { expect, test } from 'vitest';
import { changeProblems, contextOf, problems } from '../../testing/strategies.ts';
import { priorityClassStrategy } from './priorityClass.ts';

const priority = (rest: object = {}, name = 'high') => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value: 1000,
  ...rest,
});

test.each<[string, object, string[]]>([
  ['a plain class', priority(), []],
  ['a class of the system', priority({ value: 2_000_000_000 }, 'system-cluster-critical'), []],
  [
    'a name of the system',
    priority({}, 'system-mine'),
    [
      "metadata.name: Forbidden: priority class names with 'system-' prefix are reserved for system use only. error: system-mine is not a known system priority class",
    ],
  ],
  [
    'above everybody',
    priority({ value: 1_000_000_001 }),
    ['value: Forbidden: maximum allowed value of a user defined priority is 1000000000'],
  ],
  [
    'a second default',
    priority({ globalDefault: true }),
    ['globalDefault: Forbidden: PriorityClass usual is already marked as default. Only one default can exist'],
  ],
  ['the default itself, once more', priority({ globalDefault: true }, 'usual'), []],
])('%s', (_, object, expected) => {
  const context = contextOf({ stored: [priority({ globalDefault: true }, 'usual')] });
  expect(problems(priorityClassStrategy, object, context)).toEqual(expected);
});

test('the value stays', () => {
  expect(changeProblems(priorityClassStrategy, priority({ value: 2, description: 'x' }), priority())).toEqual([
    'value: Forbidden: may not be changed in an update.',
  ]);
});

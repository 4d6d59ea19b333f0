import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { horizontalPodAutoscalerStrategy } from './horizontalPodAutoscaler.ts';

const target = { kind: 'Deployment', name: 'web' };

test.each<[string, object, string[]]>([
  ['a range', { minReplicas: 1, maxReplicas: 3, scaleTargetRef: target }, []],
  [
    'nothing to scale, and nothing to scale to',
    { scaleTargetRef: {} },
    [
      'spec.maxReplicas: Required value: must be set and greater than 0',
      'spec.maxReplicas: Invalid value: 0: must be greater than or equal to `minReplicas`',
      'spec.scaleTargetRef.kind: Required value',
      'spec.scaleTargetRef.name: Required value',
    ],
  ],
  [
    'a range from zero',
    { minReplicas: 0, maxReplicas: 3, scaleTargetRef: target },
    ['spec.minReplicas: Invalid value: 0: must be greater than or equal to 1'],
  ],
])('%s', (_, spec, expected) => {
  expect(problems(horizontalPodAutoscalerStrategy, { metadata: { name: 'h' }, spec })).toEqual(expected);
});

import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { horizontalPodAutoscalerStrategy } from './horizontalPodAutoscaler.ts';

const target = { kind: 'Deployment', name: 'web' };

const utilization = { type: 'Utilization', averageUtilization: 50 };
const within = (rest: object) => ({ maxReplicas: 3, scaleTargetRef: target, ...rest });

const metricCases: [string, object, string[]][] = [
  [
    'one metric of each type',
    within({
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: utilization } },
        { type: 'ContainerResource', containerResource: { name: 'cpu', container: 'c', target: utilization } },
        { type: 'Pods', pods: { metric: { name: 'm' }, target: { type: 'AverageValue', averageValue: '1' } } },
        {
          type: 'Object',
          object: { describedObject: target, metric: { name: 'm' }, target: { type: 'Value', value: '1' } },
        },
        { type: 'External', external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } } },
      ],
    }),
    [],
  ],
  [
    'metrics without what their type says',
    within({ metrics: [{}, { type: 'Guess' }, { type: 'Pods' }] }),
    [
      'spec.metrics[0].type: Required value: must specify a metric source type',
      'spec.metrics[1].type: Unsupported value: "Guess": supported values: "ContainerResource", "External", "Object", "Pods", "Resource"',
      'spec.metrics[2].pods: Required value: must populate information for the given metric source',
    ],
  ],
  [
    'two sources in one',
    within({
      metrics: [
        {
          type: 'Resource',
          resource: { name: 'cpu', target: utilization },
          external: { metric: { name: 'm' }, target: { type: 'Value', value: '1' } },
        },
      ],
    }),
    ['spec.metrics[0].external: Forbidden: must populate the given metric source only'],
  ],
  [
    'targets that say nothing, too much, or nonsense',
    within({
      metrics: [
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization' } } },
        { type: 'Resource', resource: { name: '', target: { ...utilization, averageValue: '1' } } },
        { type: 'Resource', resource: { name: 'cpu', target: { type: 'Much', averageUtilization: 0 } } },
        { type: 'Pods', pods: { metric: {}, target: { type: 'AverageValue', averageValue: '-1' } } },
      ],
    }),
    [
      'spec.metrics[0].resource.target.averageUtilization: Required value: must set either a target raw value or a target utilization',
      'spec.metrics[1].resource.name: Required value: must specify a resource name',
      'spec.metrics[1].resource.target.averageValue: Forbidden: may not set both a target raw value and a target utilization',
      'spec.metrics[2].resource.target.type: Invalid value: "Much": must be either Utilization, Value, or AverageValue',
      'spec.metrics[2].resource.target.averageUtilization: Invalid value: 0: must be greater than 0',
      'spec.metrics[3].pods.metric.name: Required value: must specify a metric name',
      'spec.metrics[3].pods.target.averageValue: Invalid value: "-1": must be positive',
      'spec.metrics[3].pods.target.averageValue: Required value: must specify a positive target averageValue',
    ],
  ],
];

const behaviorCases: [string, object, string[]][] = [
  [
    'a behavior out of bounds',
    within({
      behavior: {
        scaleUp: {
          stabilizationWindowSeconds: -1,
          selectPolicy: 'Fast',
          policies: [{ type: 'Nodes', value: 0, periodSeconds: 1801 }],
          tolerance: '-0.1',
        },
        scaleDown: { stabilizationWindowSeconds: 3601, policies: [] },
      },
    }),
    [
      'spec.behavior.scaleUp.stabilizationWindowSeconds: Invalid value: -1: must be greater than or equal to zero',
      'spec.behavior.scaleUp.selectPolicy: Unsupported value: "Fast": supported values: "Disabled", "Max", "Min"',
      'spec.behavior.scaleUp.policies[0].type: Unsupported value: "Nodes": supported values: "Percent", "Pods"',
      'spec.behavior.scaleUp.policies[0].value: Invalid value: 0: must be greater than zero',
      'spec.behavior.scaleUp.policies[0].periodSeconds: Invalid value: 1801: must be less than or equal to 1800',
      'spec.behavior.scaleUp.tolerance: Invalid value: "-0.1": must be greater than or equal to zero',
      'spec.behavior.scaleDown.stabilizationWindowSeconds: Invalid value: 3601: must be less than or equal to 3600',
      'spec.behavior.scaleDown.policies: Required value: must specify at least one Policy',
    ],
  ],
];

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
  ...metricCases,
  ...behaviorCases,
])('%s', (_, spec, expected) => {
  expect(problems(horizontalPodAutoscalerStrategy, { metadata: { name: 'h' }, spec })).toEqual(expected);
});

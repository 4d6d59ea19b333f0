import type { PodSpec } from '@vireo/api';
import { expect, test } from 'vitest';
import { texts } from '../../testing/strategies.ts';
import { validateScheduling } from './scheduling.ts';

const hard = 'requiredDuringSchedulingIgnoredDuringExecution';
const soft = 'preferredDuringSchedulingIgnoredDuringExecution';

test.each<[string, Partial<PodSpec>, string[]]>([
  ['a toleration of everything', { tolerations: [{ operator: 'Exists' }] }, []],
  [
    'a toleration without key that compares',
    { tolerations: [{ operator: 'Equal' }] },
    [
      'spec.tolerations[0].operator: Invalid value: "Equal": operator must be Exists when `key` is empty, which means "match all values and all keys"',
    ],
  ],
  [
    'seconds for a taint that does not evict',
    { tolerations: [{ key: 'a', operator: 'Exists', effect: 'NoSchedule', tolerationSeconds: 1 }] },
    [
      'spec.tolerations[0].effect: Invalid value: "NoSchedule": effect must be \'NoExecute\' when `tolerationSeconds` is set',
    ],
  ],
  [
    'words that tolerations do not know',
    { tolerations: [{ key: 'a', operator: 'Like', effect: 'Slow' }] },
    [
      'spec.tolerations[0].operator: Unsupported value: "Like": supported values: "Equal", "Exists"',
      'spec.tolerations[0].effect: Unsupported value: "Slow": supported values: "NoSchedule", "PreferNoSchedule", "NoExecute"',
    ],
  ],
  [
    'an affinity to no nodes',
    { affinity: { nodeAffinity: { [hard]: { nodeSelectorTerms: [] } } } },
    [`spec.affinity.nodeAffinity.${hard}.nodeSelectorTerms: Required value: must have at least one node selector term`],
  ],
  [
    'node requirements that make no sense',
    {
      affinity: {
        nodeAffinity: {
          [hard]: {
            nodeSelectorTerms: [
              {
                matchExpressions: [
                  { key: 'a', operator: 'In' },
                  { key: 'a', operator: 'Exists', values: ['x'] },
                  { key: 'a', operator: 'Gt', values: [] },
                  { key: 'a', operator: '~' },
                ],
                matchFields: [{ key: 'metadata.uid', operator: 'In', values: ['x'] }],
              },
            ],
          },
        },
      },
    },
    [
      "matchExpressions[0].values: Required value: must be specified when `operator` is 'In' or 'NotIn'",
      "matchExpressions[1].values: Forbidden: may not be specified when `operator` is 'Exists' or 'DoesNotExist'",
      "matchExpressions[2].values: Required value: must be specified single value when `operator` is 'Lt' or 'Gt'",
      'matchExpressions[3].operator: Invalid value: "~": not a valid selector operator',
      'matchFields[0].key: Invalid value: "metadata.uid": not a valid field selector key',
    ].map((text) => `spec.affinity.nodeAffinity.${hard}.nodeSelectorTerms[0].${text}`),
  ],
  [
    'a weight out of range and a topology without key',
    { affinity: { podAntiAffinity: { [soft]: [{ weight: 101, podAffinityTerm: { topologyKey: '' } }] } } },
    [
      `spec.affinity.podAntiAffinity.${soft}[0].weight: Invalid value: 101: must be in the range 1-100`,
      `spec.affinity.podAntiAffinity.${soft}[0].podAffinityTerm.topologyKey: Required value: can not be empty`,
    ],
  ],
  [
    'spreading that cannot be',
    {
      topologySpreadConstraints: [
        { maxSkew: 0, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', minDomains: 1 },
        { maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway' },
      ],
    },
    [
      'spec.topologySpreadConstraints[0].maxSkew: Invalid value: 0: must be greater than zero',
      'spec.topologySpreadConstraints[0].minDomains: Invalid value: 1: can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ScheduleAnyway',
      'spec.topologySpreadConstraints[1].{topologyKey, whenUnsatisfiable}: Duplicate value: "{zone, ScheduleAnyway}"',
    ],
  ],
  [
    'one gate twice',
    { schedulingGates: [{ name: 'a' }, { name: 'a' }] },
    ['spec.schedulingGates[1]: Duplicate value: "a"'],
  ],
])('%s', (_, spec, expected) => {
  expect(texts(validateScheduling(spec as PodSpec, 'spec'))).toEqual(expected);
});

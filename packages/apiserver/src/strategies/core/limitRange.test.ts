import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { limitRangeStrategy } from './limitRange.ts';

test.each<[string, object[], string[]]>([
  [
    'bounds and defaults in order',
    [
      {
        type: 'Container',
        min: { cpu: '100m' },
        defaultRequest: { cpu: '200m' },
        default: { cpu: '1' },
        max: { cpu: '2' },
      },
    ],
    [],
  ],
  [
    'a minimum above the maximum',
    [{ type: 'Container', min: { cpu: '2' }, max: { cpu: '1' } }],
    ['spec.limits[0].min[cpu]: Invalid value: "2": min value 2 is greater than max value 1'],
  ],
  [
    'a default request above the default limit',
    [{ type: 'Container', defaultRequest: { cpu: '2' }, default: { cpu: '1' } }],
    [
      'spec.limits[0].defaultRequest[cpu]: Invalid value: "2": default request value 2 is greater than default limit value 1',
    ],
  ],
  [
    'defaults of a pod, which are its containers’',
    [{ type: 'Pod', default: { cpu: '1' } }],
    ["spec.limits[0].default: Forbidden: may not be specified when `type` is 'Pod'"],
  ],
  [
    'claims without a bound',
    [{ type: 'PersistentVolumeClaim' }],
    [
      'spec.limits[0].limits: Required value: either minimum or maximum storage value is required, but neither was provided',
    ],
  ],
  [
    'a ratio below one',
    [{ type: 'Container', maxLimitRequestRatio: { cpu: '500m' } }],
    ['spec.limits[0].maxLimitRequestRatio[cpu]: Invalid value: "500m": ratio 500m is less than 1'],
  ],
  ['one type twice', [{ type: 'Pod' }, { type: 'Pod' }], ['spec.limits[1].type: Duplicate value: "Pod"']],
])('%s', (_, limits, expected) => {
  expect(problems(limitRangeStrategy, { metadata: { name: 'l' }, spec: { limits } })).toEqual(expected);
});

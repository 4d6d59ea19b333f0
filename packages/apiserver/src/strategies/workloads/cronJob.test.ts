import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { cronJobStrategy } from './cronJob.ts';

const template = { spec: { containers: [{ name: 'c', image: 'i' }], restartPolicy: 'Never' } };
const cronJob = (spec: object = {}, name = 'c') => ({
  metadata: { name },
  spec: { schedule: '@daily', concurrencyPolicy: 'Allow', jobTemplate: { spec: { template } }, ...spec },
});

test.each<[string, object, string[]]>([
  ['a good one', cronJob(), []],
  [
    'a long name',
    cronJob({}, 'c'.repeat(53)),
    [`metadata.name: Invalid value: "${'c'.repeat(53)}": must be no more than 52 characters`],
  ],
  ['no schedule', cronJob({ schedule: '' }), ['spec.schedule: Required value']],
  [
    'a time zone in the schedule',
    cronJob({ schedule: 'TZ=UTC 0 * * * *' }),
    [
      'spec.schedule: Invalid value: "TZ=UTC 0 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ],
  ],
  [
    'an unknown time zone',
    cronJob({ timeZone: 'Mars/North' }),
    ['spec.timeZone: Invalid value: "Mars/North": unknown time zone Mars/North'],
  ],
  [
    'an unknown policy',
    cronJob({ concurrencyPolicy: 'Maybe' }),
    ['spec.concurrencyPolicy: Unsupported value: "Maybe": supported values: "Allow", "Forbid", "Replace"'],
  ],
  [
    'pods that never end',
    cronJob({ jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Always' } } } } }),
    ['spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"'],
  ],
])('%s', (_, object, expected) => {
  expect(problems(cronJobStrategy, object)).toEqual(expected);
});

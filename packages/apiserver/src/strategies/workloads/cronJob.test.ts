import { expect, test } from 'vitest';
import { problems } from '../../testing/strategies.ts';
import { cronJobStrategy } from './cronJob.ts';
import { scheduleProblem } from './cronSchedule.ts';

test.each([
  '* * * * *',
  '*/5 0-6 1,15 jan-DEC Mon',
  '0 22 * * 1-5',
  '? ? ? ? ?',
  '5/15 * * * *',
  '@hourly',
  '@every 1h30m',
])('%s is a schedule', (schedule) => {
  expect(scheduleProblem(schedule)).toBeUndefined();
});

test.each([
  ['* * * *', 'expected exactly 5 fields, found 4: [* * * *]'],
  ['60 * * * *', 'end of range (60) above maximum (59): 60'],
  ['* * 0 * *', 'beginning of range (0) below minimum (1): 0'],
  ['* * 5-3 * *', 'beginning of range (5) beyond end of range (3): 5-3'],
  ['*/0 * * * *', 'step of range should be a positive number: */0'],
  ['1-2-3 * * * *', 'too many hyphens: 1-2-3'],
  ['*/2/3 * * * *', 'too many slashes: */2/3'],
  ['x * * * *', 'failed to parse int from x: strconv.Atoi: parsing "x": invalid syntax'],
  ['@sometimes', 'unrecognized descriptor: @sometimes'],
  ['@every day', 'failed to parse duration @every day: time: invalid duration "day"'],
])('%s: %s', (schedule, problem) => {
  expect(scheduleProblem(schedule)).toBe(problem);
});

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

import { type CronJob, type CronJobSpec, type FieldError, field } from '@vireo/api';
import { scheduleProblem } from '@vireo/api/cron.ts';
import { defineStrategy } from '../define.ts';
import { nonNegative, oneOf } from '../fields.ts';
import { podTemplateWarnings } from '../podSpec/warnings.ts';
import { validatePodTemplate } from '../podTemplate.ts';
import { JOB_NUMBERS, validateJobRestartPolicy } from './job.ts';

/** Names of its Jobs are eleven characters longer. */
const MAX_NAME_LENGTH = 52;
const TEMPLATE = 'spec.jobTemplate.spec';

export const cronJobStrategy = defineStrategy<CronJob>({
  prepareForCreate(cronJob) {
    cronJob.status = {};
  },

  validate({ metadata, spec }, { subresource }) {
    if (subresource === 'status') return [];
    const { name = '' } = metadata;
    return [
      ...(name.length > MAX_NAME_LENGTH
        ? [field.invalid('metadata.name', name, `must be no more than ${MAX_NAME_LENGTH} characters`)]
        : []),
      ...(spec ? validateSpec(spec) : [field.required('spec')]),
    ];
  },

  warnings: ({ spec }) => podTemplateWarnings(spec?.jobTemplate?.spec?.template),
});

const validateSpec = (spec: CronJobSpec): FieldError[] => [
  ...validateSchedule(spec),
  ...nonNegative('spec.startingDeadlineSeconds', spec.startingDeadlineSeconds),
  ...oneOf('spec.concurrencyPolicy', spec.concurrencyPolicy, ['Allow', 'Forbid', 'Replace'], 'required'),
  ...validateTimeZone(spec.timeZone),
  ...nonNegative('spec.successfulJobsHistoryLimit', spec.successfulJobsHistoryLimit),
  ...nonNegative('spec.failedJobsHistoryLimit', spec.failedJobsHistoryLimit),
  ...validateJob(spec.jobTemplate?.spec),
];

function validateSchedule({ schedule }: CronJobSpec): FieldError[] {
  if (!schedule) return [field.required('spec.schedule')];
  if (schedule.includes('TZ='))
    return [
      field.invalid('spec.schedule', schedule, 'cannot use TZ or CRON_TZ in schedule, use timeZone field instead'),
    ];
  const problem = scheduleProblem(schedule);
  return problem ? [field.invalid('spec.schedule', schedule, problem)] : [];
}

function validateTimeZone(timeZone: string | undefined): FieldError[] {
  if (timeZone === undefined) return [];
  const invalid = (why: string): FieldError[] => [field.invalid('spec.timeZone', timeZone, why)];
  if (timeZone === '') return invalid('timeZone must be nil or non-empty string');
  if (timeZone.toLowerCase() === 'local')
    return invalid('timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones');
  try {
    new Intl.DateTimeFormat('en', { timeZone });
    return [];
  } catch {
    return invalid(`unknown time zone ${timeZone}`);
  }
}

function validateJob(spec: CronJobSpec['jobTemplate']['spec']): FieldError[] {
  if (!spec) return [field.required(`${TEMPLATE}.template`)];
  return [
    ...JOB_NUMBERS.flatMap((name) => nonNegative(`${TEMPLATE}.${name}`, spec[name])),
    ...oneOf(`${TEMPLATE}.completionMode`, spec.completionMode, ['Indexed', 'NonIndexed']),
    ...validatePodTemplate(spec.template, `${TEMPLATE}.template`),
    ...validateJobRestartPolicy(spec.template?.spec?.restartPolicy, `${TEMPLATE}.template.spec.restartPolicy`),
    ...(spec.selector
      ? [field.invalid(`${TEMPLATE}.selector`, spec.selector, '`selector` will be auto-generated')]
      : []),
    ...(spec.manualSelector
      ? [field.notSupported(`${TEMPLATE}.manualSelector`, spec.manualSelector, ['nil', 'false'])]
      : []),
  ];
}

import { defineKind } from '../../kind.ts';
import { ObjectMeta, objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { age, ageColumn, templateColumns } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import { ObjectReference } from '../core/references.ts';
import { JobSpec } from './job.ts';

export const JobTemplateSpec = struct('io.k8s.api.batch.v1.JobTemplateSpec', 'Template for Jobs.', {
  metadata: opt(1, ObjectMeta, 'Labels and annotations for the Jobs.'),
  spec: opt(2, JobSpec, 'Spec of the created Jobs.'),
});
export interface JobTemplateSpec extends Infer<typeof JobTemplateSpec> {}

export const CronJobSpec = struct('io.k8s.api.batch.v1.CronJobSpec', 'When Jobs are created, and which.', {
  concurrencyPolicy: opt(3, string, {
    default: 'Allow',
    doc: 'What happens while a Job still runs: Allow, Forbid or Replace. Defaults to Allow.',
  }),
  failedJobsHistoryLimit: opt(7, int32, { default: 1, pointer: true, doc: 'How many failed Jobs are kept.' }),
  jobTemplate: req(5, JobTemplateSpec, 'Template that new Jobs are created from.'),
  schedule: req(1, string, 'Times in the format of cron, such as 0 * * * *.'),
  startingDeadlineSeconds: opt(2, int64, { pointer: true, doc: 'Seconds after which a missed Job is not started.' }),
  successfulJobsHistoryLimit: opt(6, int32, { default: 3, pointer: true, doc: 'How many finished Jobs are kept.' }),
  suspend: opt(4, boolean, { default: false, pointer: true, doc: 'Whether no Jobs are created for now.' }),
  timeZone: opt(8, string, { pointer: true, doc: 'Time zone of the schedule, such as Europe/Berlin.' }),
});
export interface CronJobSpec extends Infer<typeof CronJobSpec> {}

export const CronJobStatus = struct('io.k8s.api.batch.v1.CronJobStatus', 'Observed state of a CronJob.', {
  active: opt(1, list(ObjectReference, 'atomic'), 'Jobs that run now.'),
  lastScheduleTime: opt(4, time, 'When a Job was last created.'),
  lastSuccessfulTime: opt(5, time, 'When a Job last completed.'),
});
export interface CronJobStatus extends Infer<typeof CronJobStatus> {}

export const CronJobSchema = struct('io.k8s.api.batch.v1.CronJob', 'Creates Jobs at given times.', {
  ...objectFields,
  spec: opt(2, CronJobSpec, 'Desired state of the CronJob.'),
  status: opt(3, CronJobStatus, 'Observed state of the CronJob. The system writes it.'),
});
export interface CronJob extends Infer<typeof CronJobSchema> {}

export const CronJob = defineKind<CronJob>({
  group: 'batch',
  version: 'v1',
  kind: 'CronJob',
  plural: 'cronjobs',
  namespaced: true,
  shortNames: ['cj'],
  categories: ['all'],
  schema: CronJobSchema,
  columns: [
    { name: 'Schedule', type: 'string', description: 'When Jobs are created.', value: ({ spec }) => spec?.schedule },
    {
      name: 'Timezone',
      type: 'string',
      description: 'Time zone of the schedule.',
      value: ({ spec }) => spec?.timeZone ?? '<none>',
    },
    {
      name: 'Suspend',
      type: 'boolean',
      description: 'Whether no Jobs are created for now.',
      value: ({ spec }) => (spec?.suspend ? 'True' : 'False'),
    },
    {
      name: 'Active',
      type: 'integer',
      description: 'Jobs that run now.',
      value: ({ status }) => status?.active?.length ?? 0,
    },
    {
      name: 'Last Schedule',
      type: 'string',
      description: 'Time since a Job was last created.',
      value: ({ status }, now) => (status?.lastScheduleTime ? age(status.lastScheduleTime, now) : '<none>'),
    },
    ageColumn,
    ...templateColumns<CronJob>(({ spec }) => spec?.jobTemplate?.spec),
  ],
  applyDefaults: ({ spec }) => applyTemplateDefaults(spec?.jobTemplate?.spec?.template),
});

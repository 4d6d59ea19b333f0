import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { PodFailurePolicy, SuccessPolicy } from './jobPolicies.ts';
import { applyJobDefaults, jobCompletions, jobDuration, jobStatus } from './jobRules.ts';

export const JobSpec = struct(
  'io.k8s.api.batch.v1.JobSpec',
  'Template of the pods, how many must succeed, and when to give up.',
  {
    activeDeadlineSeconds: opt(3, int64, { pointer: true, doc: 'Seconds after which the job is failed.' }),
    backoffLimit: opt(7, int32, { pointer: true, doc: 'How many failures are too many.' }),
    backoffLimitPerIndex: opt(12, int32, { pointer: true, doc: 'The same for each index.' }),
    completionMode: opt(9, string, {
      pointer: true,
      doc: 'NonIndexed, or Indexed to number the pods.',
    }),
    completions: opt(2, int32, { pointer: true, doc: 'How many pods must succeed.' }),
    managedBy: opt(15, string, {
      pointer: true,
      doc: 'Controller that runs the Job. If empty, the built-in one does.',
    }),
    manualSelector: opt(5, boolean, { pointer: true, doc: "Whether the selector is the author's own." }),
    maxFailedIndexes: opt(13, int32, { pointer: true, doc: 'How many indexes may fail.' }),
    parallelism: opt(1, int32, { pointer: true, doc: 'How many pods run at once.' }),
    podFailurePolicy: opt(
      11,
      PodFailurePolicy,
      'Rules for failed pods: whether they fail the Job, are ignored or are counted.',
    ),
    podReplacementPolicy: opt(14, string, {
      pointer: true,
      doc: 'When a pod is replaced: TerminatingOrFailed or Failed.',
    }),
    selector: opt(4, LabelSelector, 'Labels of the pods that belong to it.'),
    successPolicy: opt(16, SuccessPolicy, 'Rules by which the Job succeeds before all its pods have succeeded.'),
    suspend: opt(10, boolean, { pointer: true, doc: 'Whether no pods run for now.' }),
    template: req(6, PodTemplateSpec, 'Template that new pods are created from.'),
    ttlSecondsAfterFinished: opt(8, int32, { pointer: true, doc: 'Seconds after the end when the job is deleted.' }),
  },
);
export interface JobSpec extends Infer<typeof JobSpec> {}

export const JobCondition = struct('io.k8s.api.batch.v1.JobCondition', 'A condition of a Job, such as Complete.', {
  lastProbeTime: opt(3, time, 'When the condition was last checked.'),
  lastTransitionTime: opt(4, time, 'When the status of the condition last changed.'),
  message: opt(6, string, 'Human-readable details about the last transition.'),
  reason: opt(5, string, 'Reason for the last transition as one CamelCase word.'),
  status: req(2, string, 'Whether the condition holds: True, False or Unknown.'),
  type: req(1, string, 'Name of the condition, such as Ready.'),
});
export interface JobCondition extends Infer<typeof JobCondition> {}

export const UncountedTerminatedPods = struct(
  'io.k8s.api.batch.v1.UncountedTerminatedPods',
  'Terminated pods that are not counted yet.',
  {
    failed: opt(2, list(string, 'set'), 'UIDs of those that failed.'),
    succeeded: opt(1, list(string, 'set'), 'UIDs of those that succeeded.'),
  },
);
export interface UncountedTerminatedPods extends Infer<typeof UncountedTerminatedPods> {}

export const JobStatus = struct('io.k8s.api.batch.v1.JobStatus', 'Counts and conditions of a Job.', {
  active: opt(4, int32, 'Pods that run or wait.'),
  completedIndexes: opt(7, string, 'Indexes that succeeded, such as 1,3-5.'),
  completionTime: opt(3, time, 'Time at which the Job completed.'),
  conditions: opt(1, list(JobCondition, 'atomic'), {
    patch: 'merge',
    key: 'type',
    doc: 'Conditions of the object.',
  }),
  failed: opt(6, int32, 'Number of pods that failed.'),
  failedIndexes: opt(10, string, { pointer: true, doc: 'Indexes whose pods failed.' }),
  ready: opt(9, int32, { pointer: true, doc: 'Number of pods that are ready.' }),
  startTime: opt(2, time, 'Time at which the Job started.'),
  succeeded: opt(5, int32, 'Number of pods that succeeded.'),
  terminating: opt(11, int32, { pointer: true, doc: 'Number of pods that are terminating.' }),
  uncountedTerminatedPods: opt(8, UncountedTerminatedPods, 'Pods that ended and are yet to be counted.'),
});
export interface JobStatus extends Infer<typeof JobStatus> {}

export const JobSchema = struct('io.k8s.api.batch.v1.Job', 'Runs pods until enough of them have succeeded.', {
  ...objectFields,
  spec: opt(2, JobSpec, 'Desired state of the Job.'),
  status: opt(3, JobStatus, 'Observed state of the Job. The system writes it.'),
});
export interface Job extends Infer<typeof JobSchema> {}

export const Job = defineKind<Job>({
  group: 'batch',
  version: 'v1',
  kind: 'Job',
  plural: 'jobs',
  namespaced: true,
  categories: ['all'],
  schema: JobSchema,
  columns: [
    {
      name: 'Status',
      type: 'string',
      description: 'Status of the job: Running, Complete, Failed or Suspended.',
      value: jobStatus,
    },
    {
      name: 'Completions',
      type: 'string',
      description: 'How many pods succeeded, of how many.',
      value: jobCompletions,
    },
    {
      name: 'Duration',
      type: 'string',
      description: 'Time between the start and the end of the job, or until now.',
      value: jobDuration,
    },
    ageColumn,
    ...templateColumns<Job>(({ spec }) => spec),
  ],
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  applyDefaults: applyJobDefaults,
});

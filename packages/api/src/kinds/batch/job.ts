import { defineKind } from '../../kind.ts';
import { objectFields } from '../../meta.ts';
import { boolean, type Infer, int32, int64, list, opt, req, string, struct, time } from '../../schema.ts';
import { ageColumn, templateColumns } from '../columns.ts';
import { PodTemplateSpec } from '../core/podTemplate.ts';
import { LabelSelector } from '../meta/selectors.ts';
import { PodFailurePolicy, SuccessPolicy } from './jobPolicies.ts';
import { applyJobDefaults, jobCompletions, jobDuration, jobStatus } from './jobRules.ts';

export const JobSpec = struct('io.k8s.api.batch.v1.JobSpec', '', {
  activeDeadlineSeconds: opt(3, int64),
  backoffLimit: opt(7, int32),
  backoffLimitPerIndex: opt(12, int32),
  completionMode: opt(9, string, { default: 'NonIndexed' }),
  completions: opt(2, int32),
  managedBy: opt(15, string),
  manualSelector: opt(5, boolean),
  maxFailedIndexes: opt(13, int32),
  parallelism: opt(1, int32),
  podFailurePolicy: opt(11, PodFailurePolicy),
  podReplacementPolicy: opt(14, string),
  selector: opt(4, LabelSelector),
  successPolicy: opt(16, SuccessPolicy),
  suspend: opt(10, boolean, { default: false }),
  template: req(6, PodTemplateSpec),
  ttlSecondsAfterFinished: opt(8, int32),
});
export interface JobSpec extends Infer<typeof JobSpec> {}

export const JobCondition = struct('io.k8s.api.batch.v1.JobCondition', '', {
  lastProbeTime: opt(3, time),
  lastTransitionTime: opt(4, time),
  message: opt(6, string),
  reason: opt(5, string),
  status: req(2, string),
  type: req(1, string),
});
export interface JobCondition extends Infer<typeof JobCondition> {}

export const UncountedTerminatedPods = struct('io.k8s.api.batch.v1.UncountedTerminatedPods', '', {
  failed: opt(2, list(string, 'set')),
  succeeded: opt(1, list(string, 'set')),
});
export interface UncountedTerminatedPods extends Infer<typeof UncountedTerminatedPods> {}

export const JobStatus = struct('io.k8s.api.batch.v1.JobStatus', '', {
  active: opt(4, int32),
  completedIndexes: opt(7, string),
  completionTime: opt(3, time),
  conditions: opt(1, list(JobCondition, 'atomic'), { patch: 'merge', key: 'type' }),
  failed: opt(6, int32),
  failedIndexes: opt(10, string),
  ready: opt(9, int32),
  startTime: opt(2, time),
  succeeded: opt(5, int32),
  terminating: opt(11, int32),
  uncountedTerminatedPods: opt(8, UncountedTerminatedPods),
});
export interface JobStatus extends Infer<typeof JobStatus> {}

export const JobSchema = struct('io.k8s.api.batch.v1.Job', '', {
  ...objectFields,
  spec: opt(2, JobSpec),
  status: opt(3, JobStatus),
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
    { name: 'Status', type: 'string', description: 'How the job is doing.', value: jobStatus },
    {
      name: 'Completions',
      type: 'string',
      description: 'How many pods succeeded, of how many.',
      value: jobCompletions,
    },
    { name: 'Duration', type: 'string', description: 'How long the job took or takes.', value: jobDuration },
    ageColumn,
    ...templateColumns<Job>(({ spec }) => spec),
  ],
  selectableFields: { 'status.successful': ({ status }) => String(status?.succeeded ?? 0) },
  applyDefaults: applyJobDefaults,
});

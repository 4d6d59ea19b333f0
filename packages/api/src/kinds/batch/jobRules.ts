import { isConditionTrue } from '../../conditions.ts';
import { humanDuration } from '../columns.ts';
import { applyTemplateDefaults } from '../core/podDefaults.ts';
import type { Job } from './job.ts';

const MAX_RETRIES = 2 ** 31 - 1;

/** One word for the state of a job. */
export function jobStatus({ metadata, status }: Job): string {
  const has = (wanted: string): boolean => isConditionTrue({ status }, wanted);
  if (has('Complete')) return 'Complete';
  if (has('Failed')) return 'Failed';
  if (metadata.deletionTimestamp) return 'Terminating';
  if (has('Suspended')) return 'Suspended';
  if (has('FailureTarget')) return 'FailureTarget';
  if (has('SuccessCriteriaMet')) return 'SuccessCriteriaMet';
  return 'Running';
}

/** How far along the job is. Without a number of completions, one success is enough. */
export function jobCompletions({ spec, status }: Job): string {
  const succeeded = status?.succeeded ?? 0;
  if (spec?.completions !== undefined) return `${succeeded}/${spec.completions}`;
  const parallelism = spec?.parallelism ?? 0;
  return parallelism > 1 ? `${succeeded}/1 of ${parallelism}` : `${succeeded}/1`;
}

/** How long the job took, or has taken so far. */
export function jobDuration({ status }: Job, now: Date): string {
  if (!status?.startTime) return '';
  const end = status.completionTime ? Date.parse(status.completionTime) : now.getTime();
  return humanDuration(end - Date.parse(status.startTime));
}

/** What depends on other fields of the job. */
export function applyJobDefaults(job: Job): void {
  const { spec, metadata } = job;
  if (!spec) return;
  applyTemplateDefaults(spec.template);
  spec.completionMode ??= 'NonIndexed';
  spec.suspend ??= false;
  if (spec.completions === undefined && spec.parallelism === undefined) spec.completions = 1;
  spec.parallelism ??= 1;
  spec.backoffLimit ??= spec.backoffLimitPerIndex === undefined ? 6 : MAX_RETRIES;
  spec.podReplacementPolicy ??= spec.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed';
  const labels = spec.template?.metadata?.labels;
  if (labels && Object.keys(metadata.labels ?? {}).length === 0) metadata.labels = { ...labels };
}
